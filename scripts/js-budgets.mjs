// How much JavaScript each page loads by itself, without interaction: the scripts that its document names, bytes after gzip,
// against the limits in js-budgets.json. `--write` notes what is now, with 5 % on top but at most the goal. The polyfills that Next names for browsers
// without modules are not among them: no supported browser loads them. Parts (src/ui/part.ts) come with the first interaction.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './install.mjs';

const next = join(root, '.next');
const file = join(root, 'js-budgets.json');
const MARGIN = 1.05;
/** No page loads more. */
const GOAL = 220;
const MANIFEST = 'page_client-reference-manifest.js';

const sizes = new Map();
function gzipped(path) {
  if (!sizes.has(path)) sizes.set(path, gzipSync(readFileSync(join(next, path)), { level: 9 }).length);
  return sizes.get(path);
}

/** Path of the page and the scripts that its document names: those of every page, those of its layouts and error pages, and its own. */
function readPageScripts(manifest, shared) {
  const source = readFileSync(join(next, 'server', 'app', manifest), 'utf8');
  const [, path, json] = /__RSC_MANIFEST\["(.*?)\/page"\]\s*=\s*(\{.*\});?\s*$/s.exec(source) ?? [];
  if (!json) throw new Error(`${manifest} has another form than expected`);
  const files = Object.values(JSON.parse(json).entryJSFiles).flat();
  return [path.replace(/\/\([^)]*\)/g, '') || '/', [...new Set([...shared, ...files])]];
}

function measure() {
  if (!existsSync(join(next, 'build-manifest.json'))) throw new Error('Build first: npm run build');
  const { rootMainFiles } = JSON.parse(readFileSync(join(next, 'build-manifest.json'), 'utf8'));
  const manifests = readdirSync(join(next, 'server', 'app'), { recursive: true, encoding: 'utf8' });
  const pages = manifests
    .filter((one) => one.endsWith(MANIFEST) && !one.startsWith('_'))
    .map((one) => readPageScripts(one, rootMainFiles))
    .map(([path, scripts]) => [path, scripts.reduce((sum, script) => sum + gzipped(script), 0)]);
  return Object.fromEntries(pages.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const kb = (bytes) => Math.ceil(bytes / 1024);
const measured = measure();
if (process.argv.includes('--write')) {
  const limits = Object.fromEntries(
    Object.entries(measured).map(([path, bytes]) => [path, Math.min(Math.ceil(kb(bytes) * MARGIN), GOAL)]),
  );
  writeFileSync(file, `${JSON.stringify(limits, null, 2)}\n`);
} else {
  const limits = JSON.parse(readFileSync(file, 'utf8'));
  const wrong = Object.entries(measured).flatMap(([path, bytes]) => {
    if (limits[path] === undefined) return [`${path} has no budget: add it to js-budgets.json (now ${kb(bytes)} KiB)`];
    return kb(bytes) > limits[path]
      ? [
          `${path} loads ${kb(bytes)} KiB, more than ${limits[path]} KiB: load what is not needed at first later, or raise the limit`,
        ]
      : [];
  });
  for (const [path, bytes] of Object.entries(measured))
    console.log(`${String(kb(bytes)).padStart(5)} KiB of ${limits[path] ?? '?'}  ${path}`);
  if (wrong.length > 0) {
    console.error(wrong.join('\n'));
    process.exit(1);
  }
}
