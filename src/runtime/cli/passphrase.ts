import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './command';

/** The first line of a file, or of standard input for `-`. @throws Error when it is empty or cannot be read */
export function readSecretFile(path: string, what: string): string {
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (cause) {
    throw new Error(`Cannot read the ${what} from ${path}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  const [line = ''] = text.split(/\r?\n/);
  if (line === '') throw new Error(`${path} contains no ${what}.`);
  return line;
}

/** Asks for a secret at the terminal, without showing it. @throws UsageError when there is no terminal */
export async function promptSecret(question: string, remedy: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(remedy);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
