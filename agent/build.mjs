// Builds what a node needs to run the agent into agent/dist, or the directory given as argument: one bundle, the
// native library for each machine type whose package is installed, the unit and sysctl files, and a manifest of
// SHA-256 checksums that the installer verifies.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = process.argv[2] ?? join(HERE, 'dist');
const MACHINES = ['x64', 'arm64'];
const require = createRequire(import.meta.url);

/** Where koffi's prebuilt library for a machine lies, null when that optional package is not installed. */
function nativeLibrary(machine) {
  try {
    const manifest = createRequire(require.resolve('koffi')).resolve(`@koromix/koffi-linux-${machine}/package.json`);
    const file = join(dirname(manifest), `linux_${machine}`, 'koffi.node');
    return existsSync(file) ? file : null;
  } catch {
    const file = join(
      HERE,
      '..',
      'node_modules',
      '@koromix',
      `koffi-linux-${machine}`,
      `linux_${machine}`,
      'koffi.node',
    );
    return existsSync(file) ? file : null;
  }
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });

await build({
  entryPoints: [join(HERE, 'src/main.ts')],
  outfile: join(DIST, 'fabric-agent.cjs'),
  bundle: true,
  platform: 'node',
  target: 'node18',
  format: 'cjs',
  // Not minified: stack traces in a node's journal can be read.
  legalComments: 'none',
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
  plugins: [
    {
      // koffi's own loader looks through node_modules; beside the bundle there is only the library itself.
      name: 'native-library-beside-bundle',
      setup({ onResolve }) {
        onResolve({ filter: /\/load-koffi$/ }, () => ({ path: join(HERE, 'src/sys/load-koffi-bundled.ts') }));
      },
    },
  ],
});
chmodSync(join(DIST, 'fabric-agent.cjs'), 0o755);

for (const machine of MACHINES) {
  const file = nativeLibrary(machine);
  if (file) copyFileSync(file, join(DIST, `koffi-linux-${machine}.node`));
  else process.stderr.write(`no native library for ${machine}: the agent runs there with slower fallbacks\n`);
}
for (const { name } of readdirSync(join(HERE, 'packaging'), { withFileTypes: true }).filter((one) => one.isFile())) {
  copyFileSync(join(HERE, 'packaging', name), join(DIST, name));
}

const files = {};
for (const name of readdirSync(DIST).sort()) {
  const content = readFileSync(join(DIST, name));
  files[name] = { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
}
const { version } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
writeFileSync(join(DIST, 'manifest.json'), `${JSON.stringify({ version, files }, null, 2)}\n`);
process.stdout.write(`agent ${version}: ${Object.keys(files).length} files in ${DIST}\n`);
