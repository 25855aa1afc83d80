// Builds dist/fabric-agent_VERSION_ARCH.deb, which brings its own Node.js, and dist/fabric-agent-packages.json, by which
// the service finds the packages. `npm run package:agent -- --arch amd64 --output DIR --bundle DIR --compression none`;
// without options: both architectures, compressed with xz. The same input gives the same bytes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fetchPackage, RUNTIME, readNativeLibrary, readPackedFile, stripExecutable } from './package-runtime.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const DEB = join(HERE, 'packaging', 'deb');
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** Time of all files in a package, unless SOURCE_DATE_EPOCH is set. */
const EPOCH = 1_767_225_600;
const LIBRARY = 'usr/lib/fabric-agent';
/** Files of the bundle that are in each package. */
const CONTENTS = ['fabric-agent.cjs', 'fabric-agent.service', 'fabric-agent.sysctl.conf', 'fabric-agent.modprobe.conf'];

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: Object.keys(RUNTIME.machines).join(',') },
    output: { type: 'string', default: join(HERE, '..', 'dist') },
    bundle: { type: 'string' },
    compression: { type: 'string', default: 'xz' },
  },
});

function run(command, args, env = {}) {
  const { status, error, stderr } = spawnSync(command, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  if (error?.code === 'ENOENT')
    fail(`${command} is not installed. Packages are built on Debian or Ubuntu (package dpkg).`);
  if (status !== 0) fail(`${command} failed: ${stderr?.trim() ?? error?.message}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** The files of a package: path, mode and content. */
function listFiles(bundle, { node, package: name, integrity }) {
  const archive = fetchPackage({ name, version: RUNTIME.version, integrity });
  const from = (file) => readFileSync(join(bundle, file));
  const license = `${readFileSync(join(DEB, 'copyright'), 'utf8')}\n${readPackedFile(archive, 'LICENSE')}`;
  return [
    ['usr/bin/fabric-agent', 0o755, readFileSync(join(DEB, 'fabric-agent'))],
    [`${LIBRARY}/fabric-agent.cjs`, 0o755, from('fabric-agent.cjs')],
    [`${LIBRARY}/koffi-linux-${node}.node`, 0o644, readNativeLibrary(node)],
    [`${LIBRARY}/node`, 0o755, stripExecutable(readPackedFile(archive, 'bin/node'))],
    ['usr/lib/systemd/system/fabric-agent.service', 0o644, from('fabric-agent.service')],
    ['usr/lib/sysctl.d/60-fabric-agent.conf', 0o644, from('fabric-agent.sysctl.conf')],
    ['usr/lib/modprobe.d/fabric-agent.conf', 0o644, from('fabric-agent.modprobe.conf')],
    ['usr/share/doc/fabric-agent/copyright', 0o644, license],
  ].map(([path, mode, content]) => ({ path, mode, content: Buffer.from(content) }));
}

function writeControl(stage, architecture, version, files) {
  const installed = Math.ceil(files.reduce((sum, { content }) => sum + content.length, 0) / 1024);
  const control = readFileSync(join(DEB, 'control'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@INSTALLED_SIZE@', String(installed))
    .replace('@NODE_VERSION@', RUNTIME.version);
  const sums = files.map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`);
  mkdirSync(join(stage, 'DEBIAN'));
  writeFileSync(join(stage, 'DEBIAN', 'control'), control);
  writeFileSync(join(stage, 'DEBIAN', 'md5sums'), sums.join(''));
  for (const name of SCRIPTS) {
    copyFileSync(join(DEB, name), join(stage, 'DEBIAN', name));
    chmodSync(join(stage, 'DEBIAN', name), 0o755);
  }
}

/** Equal times and modes, whatever the umask is: they are part of the package. */
function normalize(path, time) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) normalize(inner, time);
    else utimesSync(inner, time, time);
  }
  chmodSync(path, 0o755);
  utimesSync(path, time, time);
}

function buildPackage(bundle, architecture, version) {
  const name = `fabric-agent_${version}_${architecture}.deb`;
  const stage = mkdtempSync(join(tmpdir(), 'fabric-deb-'));
  try {
    const files = listFiles(bundle, RUNTIME.machines[architecture]);
    for (const { path, mode, content } of files) {
      mkdirSync(join(stage, dirname(path)), { recursive: true });
      writeFileSync(join(stage, path), content);
      chmodSync(join(stage, path), mode);
    }
    writeControl(stage, architecture, version, files);
    for (const name of ['control', 'md5sums']) chmodSync(join(stage, 'DEBIAN', name), 0o644);
    const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? EPOCH);
    normalize(stage, epoch);
    const target = join(values.output, name);
    run('dpkg-deb', ['--root-owner-group', `-Z${values.compression}`, '--build', stage, target], {
      SOURCE_DATE_EPOCH: String(epoch),
    });
    const content = readFileSync(target);
    process.stdout.write(`${target}: ${(content.length / 1e6).toFixed(1)} MB\n`);
    return [name, { sha256: sha256(content), bytes: content.length }];
  } finally {
    rmSync(stage, { recursive: true });
  }
}

const architectures = values.arch.split(',');
const unknown = architectures.find((name) => !(name in RUNTIME.machines));
if (unknown !== undefined) fail(`unknown architecture ${unknown}: use ${Object.keys(RUNTIME.machines).join(' or ')}`);
const bundle = values.bundle ?? mkdtempSync(join(tmpdir(), 'fabric-agent-bundle-'));
try {
  if (values.bundle === undefined) run(process.execPath, [join(HERE, 'build.mjs'), bundle]);
  const { version, files } = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8'));
  mkdirSync(values.output, { recursive: true });
  for (const old of readdirSync(values.output)) {
    if (/^fabric-agent(_.*\.deb|-packages\.json)$/.test(old)) rmSync(join(values.output, old));
  }
  const packages = Object.fromEntries(architectures.map((name) => buildPackage(bundle, name, version)));
  // By these the service recognizes that the packages contain the agent that it serves.
  const contents = Object.fromEntries(CONTENTS.map((name) => [name, files[name].sha256]));
  const manifest = { version, contents, files: packages };
  writeFileSync(join(values.output, 'fabric-agent-packages.json'), `${JSON.stringify(manifest, null, 2)}\n`);
} catch (error) {
  fail(error.message);
} finally {
  if (values.bundle === undefined) rmSync(bundle, { recursive: true, force: true });
}
