// `npm run db:generate -- --name short-name`: writes the migration to the present schema. Of drizzle's snapshots it leaves the newest:
// the next migration is made from that one alone, and each has thousands of lines.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const kit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs');
const { status } = spawnSync(
  process.execPath,
  [kit, 'generate', '--config', 'drizzle/drizzle.config.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);

const meta = join(root, 'drizzle', 'meta');
const snapshots = readdirSync(meta)
  .filter((name) => name.endsWith('_snapshot.json'))
  .sort();
for (const name of snapshots.slice(0, -1)) rmSync(join(meta, name));
