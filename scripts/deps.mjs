// `npm run deps`: reads what dependency-cruiser found by the rules of .dependency-cruiser.cjs, as JSON on the standard input, and
// fails also when it did not really look at the code.
import { text } from 'node:stream/consumers';

const report = await text(process.stdin);
if (!report) {
  process.stderr.write('The dependencies could not be read: see above.\n');
  process.exit(1);
}
const { violations, totalCruised, totalDependenciesCruised } = JSON.parse(report).summary;
for (const { rule, from, to } of violations) process.stdout.write(`${rule.name}: ${from} → ${to}\n`);
process.stdout.write(
  `${violations.length} violations in ${totalCruised} modules with ${totalDependenciesCruised} dependencies\n`,
);
const looked = totalCruised > 1_500 && totalDependenciesCruised > 8_000;
if (!looked) process.stderr.write('So few modules are not all of the code: the check looked at something else.\n');
process.exit(violations.length > 0 || !looked ? 1 : 0);
