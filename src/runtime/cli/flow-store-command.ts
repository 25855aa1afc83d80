import { switchFlowStorage } from '@/server/traffic/storage/flow-storage';
import { type Command, EXIT, textOption, UsageError } from './command';
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

async function run(installation: Installation, to: keyof typeof ENGINES): Promise<string[]> {
  const done = await withServices(installation, () => switchFlowStorage(installation.databaseUrl, to));
  return [`Flows are stored in ${ENGINES[to]} from the next start on.`, ...describeSwitch(to, done)];
}

export const flowStoreCommand: Command = {
  name: 'flow-store',
  summary: 'Choose where flows are stored: PostgreSQL or ClickHouse.',
  help: `  fabric flow-store switch --to postgres|clickhouse

Stop all processes of Fabric first: agents keep their flows for 24 hours. No process starts with another store than the one chosen.
What the store before holds is not copied and not shown any more. Switching back shows it again.

--to  the store of flows from the next start on; clickhouse needs CLICKHOUSE_URL, and creates its tables`,
  options: { to: { type: 'string' } },
  positionals: ['action'],
  async run({ values, positionals, terminal }) {
    if (positionals[0] !== 'switch') throw new UsageError(`Unknown action: ${positionals[0]}. The only one is switch.`);
    const to = textOption(values, 'to');
    if (to !== 'postgres' && to !== 'clickhouse') throw new UsageError('--to requires postgres or clickhouse.');
    const lines = await withInstallation({ exclusive: true }, terminal, (installation) => run(installation, to));
    for (const line of lines) terminal.print(line);
    return EXIT.ok;
  },
};
