import { spawn } from 'node:child_process';
import { bundle } from '@/test/bundle';

export type Outcome = { status: number | null; stdout: string; stderr: string };

/** The program `fabric` in one file. */
export const buildFabric = () => bundle('src/runtime/fabric-main.ts');

/** Runs the program as an operator would, with these variables and no other Fabric variables. */
export function fabric(
  file: string,
  args: readonly string[],
  variables: Record<string, string>,
  input = '',
): Promise<Outcome> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', NODE_ENV: 'production', ...variables },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that is done does not wait for what it never asked for.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}
