import process from 'node:process';
import { AGENT_VERSION } from '@fabric/agent-contract/limits';
import { Agent } from './agent';
import { type Arguments, parseArguments, USAGE, UsageError } from './cli/arguments';
import { doctor } from './cli/doctor';
import { enrollAgent, readEnrollmentToken } from './cli/enroll';
import { printOnce, sendOnce } from './cli/once';
import { type Config, ConfigError, isManagedByJournal, loadConfig } from './config';
import { createLogger } from './sys/logger';
import { getServer } from './transport/post';

const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

/** Runs the command line. @returns exit code */
async function main(args: string[]): Promise<number> {
  const { command, settings, configFile }: Arguments = parseArguments(args);
  const config = (): Config => loadConfig(settings, configFile);
  switch (command) {
    case 'help':
      process.stdout.write(USAGE);
      return EXIT.ok;
    case 'version':
      process.stdout.write(`${AGENT_VERSION}\n`);
      return EXIT.ok;
    case 'doctor':
      return (await doctor(config())) ? EXIT.ok : EXIT.failure;
    case 'enrol':
      process.stdout.write(`enrolled as node ${await enrollNode(config())}\n`);
      return EXIT.ok;
    case 'print':
      await printOnce(config());
      return EXIT.ok;
    case 'once':
      process.stdout.write(`${await runOnce(config())}\n`);
      return EXIT.ok;
    case 'run':
      await run(config());
      return EXIT.ok;
  }
}

async function enrollNode(config: Config): Promise<string> {
  return enrollAgent(config, getServer(config), await readEnrollmentToken());
}

function runOnce(config: Config): Promise<string> {
  return sendOnce(config, getServer(config));
}

async function run(config: Config): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const logger = createLogger(config.log_level, isManagedByJournal());
  await new Agent(config, getServer(config), logger).run(stop.signal);
}

main(process.argv.slice(2)).then(
  // Exit immediately: standard input or a timer must not hold up a command that is done.
  (code) => process.exit(code),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`fabric-agent: ${message}\n`);
    if (error instanceof UsageError) process.stderr.write('See fabric-agent --help\n');
    process.exit(error instanceof UsageError || error instanceof ConfigError ? EXIT.usage : EXIT.failure);
  },
);
