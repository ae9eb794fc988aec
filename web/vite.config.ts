import { svelte } from '@sveltejs/vite-plugin-svelte';
import { rename } from 'node:fs/promises';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One file, which CMake puts into the program: dist/viewer.html. FORETELL_VIEWER_OUT builds it elsewhere.
const out = process.env.FORETELL_VIEWER_OUT ?? 'dist';

export default defineConfig({
  plugins: [
    svelte({ compilerOptions: { css: 'injected' } }),
    viteSingleFile({ removeViteModuleLoader: true }),
    {
      name: 'name-the-page',
      closeBundle: () => rename(`${out}/index.html`, `${out}/viewer.html`),
    },
  ],
  build: { outDir: out, emptyOutDir: false, target: 'es2022', modulePreload: false },
});
