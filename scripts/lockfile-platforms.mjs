// Completes package-lock.json with the platform-specific optional packages that the registry in use does not hold.
// npm leaves an optional package out of the lock when its manifest cannot be fetched, and `npm ci` then calls the
// lock incomplete. Run after `npm install` where `npm ci` says "Missing: … from lock file". An entry added here
// carries no integrity: npm verifies it against the registry's own manifest when that platform installs it.
import { readFileSync, writeFileSync } from 'node:fs';

const OS = {
  darwin: 'darwin',
  win32: 'win32',
  linux: 'linux',
  android: 'android',
  freebsd: 'freebsd',
  openharmony: 'openharmony',
  openbsd: 'openbsd',
  netbsd: 'netbsd',
  sunos: 'sunos',
  aix: 'aix',
};
const CPU = {
  arm64: 'arm64',
  x64: 'x64',
  arm: 'arm',
  'arm-eabi': 'arm',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  wasm32: 'wasm32',
};

/** Derives npm's os/cpu/libc fields from a package name such as `@scope/tool-linux-x64-musl`. */
function parsePlatform(name) {
  const words = name.replace(/^@[^/]+\//, '').split('-');
  const os = words.map((w) => OS[w]).find(Boolean);
  const cpu = words.map((w) => CPU[w]).find(Boolean);
  const libc = words.some((w) => w.startsWith('musl'))
    ? 'musl'
    : words.some((w) => w.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && os === 'linux' && { libc: [libc] }) };
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const parents =
      path === ''
        ? ['']
        : [
            `${path}/`,
            ...path
              .split('/node_modules/')
              .slice(0, -1)
              .map((_, i, a) => `${a.slice(0, a.length - i).join('/node_modules/')}/`),
            '',
          ];
    const found = parents.some((p) => lock.packages[`${p}node_modules/${name}`]);
    if (found || !/^\d+\.\d+\.\d+/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...parsePlatform(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} platform packages added to package-lock.json\n`);
