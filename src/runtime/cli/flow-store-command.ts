import { retryRefusedFlows, switchFlowStorage } from '@/server/traffic/storage/flow-storage';
import { type Command, EXIT, textOption, UsageError } from './command';
import { moveFlows } from './move-flows';
import { type Installation, withInstallation, withServices } from './open-installation';

const ENGINES = { postgres: 'PostgreSQL', clickhouse: 'ClickHouse' } as const;

/** What is not shown any more, and what to set. */
function describeSwitch(
  to: keyof typeof ENGINES,
  { left_in_postgres, outbox }: Awaited<ReturnType<typeof switchFlowStorage>>,
): string[] {
  if (to === 'clickhouse') {
    return [
      'Set CLICKHOUSE_URL for every process, and start them.',
      ...(left_in_postgres
        ? ['The flows in PostgreSQL are not shown any more. They stay until their retention ends.']
        : []),
    ];
  }
  return [
    'Remove CLICKHOUSE_URL from every process, and start them.',
    'The flows in ClickHouse are not shown any more. They stay there.',
    ...(outbox.rows > 0 ? [`${outbox.rows} rows have not arrived in ClickHouse. They stay in PostgreSQL.`] : []),
  ];
}

async function switchStore(installation: Installation, to: keyof typeof ENGINES): Promise<string[]> {
  const done = await withServices(installation, () => switchFlowStorage(installation.databaseUrl, to));
  return [`Flows are stored in ${ENGINES[to]} from the next start on.`, ...describeSwitch(to, done)];
}

export const flowStoreCommand: Command = {
  name: 'flow-store',
  summary: 'Choose where flows are stored, and move them there.',
  help: `  fabric flow-store move --to postgres|clickhouse [--keep]
  fabric flow-store switch --to postgres|clickhouse
  fabric flow-store retry

move    Moves what is stored of flows while Fabric runs, the newest day first. Both stores are compared day by day before the old one is
        emptied. After any interruption, run it again: it continues. When it says so, restart every process with CLICKHOUSE_URL, or
        without it on the way to postgres; this command needs it either way.
switch  Begins with an empty store. Stop all processes of Fabric first: agents keep their flows for 24 hours. What the store before
        holds is not copied and not shown any more. Switching back shows it again.
retry   Sends reports again that ClickHouse refused, for example after an update. They arrive when Fabric runs.

No process starts with another store than the one chosen.

--to    the store of flows; for clickhouse CLICKHOUSE_URL must be set, its tables are created
--keep  after a move, leave the flows in the store before: in PostgreSQL until their retention ends, in ClickHouse until you drop them`,
  options: { to: { type: 'string' }, keep: { type: 'boolean' } },
  positionals: ['action'],
  async run({ values, positionals: [action], terminal }) {
    if (action === 'retry') {
      const put = await withInstallation({}, terminal, (installation) => withServices(installation, retryRefusedFlows));
      terminal.print(`${put} reports are sent again.`);
      return EXIT.ok;
    }
    if (action !== 'switch' && action !== 'move')
      throw new UsageError(`Unknown action: ${action}. It can be move, switch or retry.`);
    const to = textOption(values, 'to');
    if (to !== 'postgres' && to !== 'clickhouse') throw new UsageError('--to requires postgres or clickhouse.');
    const lines =
      action === 'switch'
        ? await withInstallation({ exclusive: true }, terminal, (installation) => switchStore(installation, to))
        : await withInstallation({}, terminal, (installation) =>
            moveFlows(installation, to, values.keep === true, terminal),
          );
    for (const line of lines) terminal.print(line);
    return EXIT.ok;
  },
};
