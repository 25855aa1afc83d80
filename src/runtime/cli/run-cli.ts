import { parseArgs } from 'node:util';
import { type Command, EXIT, formatErrorReason, type Terminal, UsageError } from './command';

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

const INTRODUCTION = [
  'Manage a Fabric installation.',
  'Uses the installation of DATABASE_URL, or the one in FABRIC_DATA_DIR (.data); commands for policies that of FABRIC_URL.',
] as const;

function overview(commands: readonly Command[], [title, uses]: readonly [string, string]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    title,
    '',
    '  fabric <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    uses,
    'fabric <command> --help shows details. Exit status: 0 success, 1 failure or problems found, 2 differences.',
  ].join('\n');
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { ...command.options, ...HELP }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(command, args);
  if (values.help) {
    terminal.print(`${command.summary}\n\n${command.help}`);
    return EXIT.ok;
  }
  const requested = command.positionals;
  if (positionals.length < requested.length) throw new UsageError(`${requested[positionals.length]} is missing.`);
  if (positionals.length > requested.length)
    throw new UsageError(`Unexpected argument: ${positionals[requested.length]}.`);
  return command.run({ values: values as Record<string, string | boolean | undefined>, positionals, terminal });
}

/** Runs one command line. Whatever goes wrong becomes lines on standard error and an exit status. */
export async function runCli(
  commands: readonly Command[],
  args: readonly string[],
  terminal: Terminal,
  introduction: readonly [string, string] = INTRODUCTION,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(overview(commands, introduction));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) {
    terminal.note(`Unknown command: ${name}. fabric --help lists all commands.`);
    return EXIT.usage;
  }
  try {
    return await runCommand(command, rest, terminal);
  } catch (error) {
    terminal.note(formatErrorReason(error));
    if (!(error instanceof UsageError)) return EXIT.failed;
    terminal.note(`fabric ${name} --help shows its usage.`);
    return EXIT.usage;
  }
}
