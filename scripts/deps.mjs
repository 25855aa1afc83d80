// `npm run deps`: the dependency rules of .dependency-cruiser.cjs, and proof that the check really looked at the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './install.mjs';

const { stdout, stderr } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
    ...['--config', '.dependency-cruiser.cjs', '--no-progress', '--output-type', 'json'],
    ...['src', 'workers', 'agent', 'e2e'],
  ],
  { cwd: root, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 },
);
if (!stdout) {
  process.stderr.write(`The dependencies could not be read: ${stderr}\n`);
  process.exit(1);
}
const { violations, totalCruised, totalDependenciesCruised } = JSON.parse(stdout).summary;
for (const { rule, from, to } of violations) process.stdout.write(`${rule.name}: ${from} → ${to}\n`);
process.stdout.write(
  `${violations.length} violations in ${totalCruised} modules with ${totalDependenciesCruised} dependencies\n`,
);
const looked = totalCruised > 1_500 && totalDependenciesCruised > 8_000;
if (!looked) process.stderr.write('So few modules are not all of the code: the check looked at something else.\n');
process.exit(violations.length > 0 || !looked ? 1 : 0);
