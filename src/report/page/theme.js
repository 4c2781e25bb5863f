// Colours of the pictures: Okabe and Ito's, which the colour-blind can tell apart, and whose lightness differs so that
// a grey print can too. Blue is the figure, orange its tail.
const palettes = {
  light: {
    ink: '#1d2328', dim: '#5b6670', grid: '#e6eaed', paper: '#ffffff', shade: 'rgba(0, 114, 178, 0.07)',
    series: ['#0072b2', '#d55e00', '#009e73', '#a0527f', '#56b4e9', '#8a6d00'],
    wait: '#b8c0c8', queue: '#e69f00', prefill: '#d55e00', decode: '#56b4e9', failed: '#1d2328',
  },
  dark: {
    ink: '#e4e8ec', dim: '#9aa6b1', grid: '#2a3138', paper: '#14181c', shade: 'rgba(86, 180, 233, 0.09)',
    series: ['#56b4e9', '#e69f00', '#2fc49a', '#d99bc0', '#f0e442', '#e8743b'],
    wait: '#59636d', queue: '#f0e442', prefill: '#e69f00', decode: '#3f8fc4', failed: '#ffffff',
  },
};
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [10, 4]];
const marks = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'crossRot'];
const dark_wanted = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;

function palette() {
  return dark_wanted.matches && !printing ? palettes.dark : palettes.light;
}

function series_color(index) {
  const colors = palette().series;
  return colors[index % colors.length];
}

function faded(color, share) {
  return color + Math.round(255 * share).toString(16).padStart(2, '0');
}
