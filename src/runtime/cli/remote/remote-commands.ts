import { createInterface } from 'node:readline/promises';
import type { Command } from '../command';
import { connect, type Fetch, type Variables } from './api';
import { applyCommand } from './apply-command';
import { exportCommand } from './export-command';
import { planCommand } from './plan-command';
import { driftCommand, flowsCommand, reachCommand, testCommand } from './read-commands';

type Environment = {
  readonly env: Variables;
  readonly fetch: Fetch;
  /** Asks the person at the terminal; null: there is none. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
};

/** Asks on standard error, so that standard output can be piped. */
async function askPerson(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

/** Commands that use the API of an installation, from any machine. */
export function remoteCommands({ env, fetch, confirm }: Environment): Command[] {
  const open = () => connect(env, fetch);
  return [
    ...[exportCommand(open), planCommand(open, env), applyCommand(open, env, confirm)],
    ...[testCommand(open), driftCommand(open), reachCommand(open), flowsCommand(open)],
  ];
}

/** The commands of this process. */
export const ownRemoteCommands = (env: Variables): Command[] =>
  remoteCommands({
    env,
    fetch,
    confirm: process.stdin.isTTY && process.stderr.isTTY ? askPerson : null,
  });
