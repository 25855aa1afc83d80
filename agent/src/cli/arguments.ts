import { parseArgs } from 'node:util';
import { optionName, SETTING_NAMES } from '../config';

export type Command = 'run' | 'once' | 'print' | 'doctor' | 'enrol' | 'version' | 'help';

export type Arguments = {
  command: Command;
  /** Configuration file given by --config, null for the default one. */
  configFile: string | null;
  /** Settings given as options, by setting name. */
  settings: Partial<Record<string, string>>;
};

/** Wrong use of the command line; the message says how it is right. */
export class UsageError extends Error {}

export const USAGE = `fabric-agent: reports flows, interface counters and firewall state of this node

Usage:
  fabric-agent [run]            observe and report until stopped
  fabric-agent --once           send one heartbeat after a few seconds, while no agent runs
  fabric-agent --once --print   show that heartbeat as JSON instead of sending it
  fabric-agent doctor           check what works, what does not, and how to fix it
  fabric-agent enrol            exchange an enrollment token (standard input or
                                FABRIC_ENROLMENT_TOKEN) for this node's own token
  fabric-agent --version

Options: --config FILE, and any setting: ${SETTING_NAMES.map((name) => `--${optionName(name)}`).join(' ')}
`;

const SWITCHES = ['once', 'print', 'version', 'help'] as const;

/** @throws UsageError */
export function parseArguments(args: string[]): Arguments {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    config: { type: 'string', short: 'c' },
  };
  for (const name of SWITCHES) options[name] = { type: 'boolean' };
  for (const name of SETTING_NAMES) options[optionName(name)] = { type: 'string' };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const settings: Arguments['settings'] = {};
  for (const name of SETTING_NAMES) {
    const value = values[optionName(name)];
    if (typeof value === 'string') settings[name] = value;
  }
  return {
    command: parseCommand(values, positionals),
    configFile: typeof values.config === 'string' ? values.config : null,
    settings,
  };
}

function parseCommand(values: Record<string, unknown>, positionals: string[]): Command {
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [word = 'run', ...rest] = positionals;
  if (rest.length > 0 || !['run', 'doctor', 'enrol'].includes(word)) {
    throw new UsageError(`unknown command: ${positionals.join(' ')}. Use run, doctor or enrol`);
  }
  if (values.print && !values.once) throw new UsageError('--print requires --once');
  if (values.once && word !== 'run') throw new UsageError(`--once cannot be combined with ${word}`);
  if (values.once) return values.print ? 'print' : 'once';
  return word as Command;
}
