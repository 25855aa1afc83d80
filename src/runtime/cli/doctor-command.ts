import { closeQueues } from '@/server/jobs/queues';
import { env } from '@/server/lib/env';
import { type Command, EXIT } from './command';
import { type Finding, runChecks } from './doctor/finding';
import { machineChecks } from './doctor/machine-checks';
import { serviceChecks } from './doctor/service-checks';
import { withInstallation, withServices } from './open-installation';

const line = ({ status, name, detail }: Finding) => `${status.padEnd(8)} ${name.padEnd(15)} ${detail}`;

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the installation for problems and print how to fix them.',
  help: `  fabric doctor [--json]

Read-only. Fails if a check fails; warnings alone do not fail.

--json  one JSON object per line on standard output: name, status (ok, warning, failed, skipped), detail, remedy`,
  options: { json: { type: 'boolean' } },
  positionals: [],
  run: ({ values, terminal }) =>
    withInstallation({}, terminal, (installation) =>
      withServices(installation, async () => {
        // Without the address of the queues there is nothing to ask.
        const asked = installation.running && (installation.dataDirectory !== null || env().REDIS_URL !== undefined);
        const checks = [...machineChecks(installation), ...serviceChecks(asked)];
        const findings = await runChecks(checks, (finding) => {
          if (values.json) terminal.print(JSON.stringify(finding));
          else {
            terminal.print(line(finding));
            if (finding.remedy) terminal.print(`${' '.repeat(25)}→ ${finding.remedy}`);
          }
        });
        if (asked) await closeQueues();
        return findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.ok;
      }),
    ),
};
