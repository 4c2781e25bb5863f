// Runs in a copy of a page (check_page): are its charts drawn, did it load anything, does it fit its width?
function is_drawn(canvas) {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 16) + (pixels[i + 1] << 8) + pixels[i + 2]);
  return seen.size > 3;
}

function complaints() {
  const shown = [...document.querySelectorAll('canvas')].filter((canvas) => canvas.offsetParent !== null);
  const out = shown.filter((canvas) => !is_drawn(canvas)).map((canvas) => 'empty: ' + (canvas.id || canvas.closest('figure').id));
  if (shown.length === 0) out.push('no chart is shown');
  const loaded = performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !name.startsWith('data:'));
  if (loaded.length > 0) out.push('loads ' + loaded.join(', '));
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) out.push('is ' + page.scrollWidth + ' wide');
  return out;
}

addEventListener('load', () => setTimeout(() => parent.postMessage(complaints().join('; ') || 'good', '*'), 1000));
