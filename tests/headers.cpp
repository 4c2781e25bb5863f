// Nothing: the library beside it owns the precompiled headers of all tests.
