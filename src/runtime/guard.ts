import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends a process when this one dies without a word (kill -9): the shell's standard input is a pipe that only this
 * process holds open, so the shell goes on when we are gone.
 * @param target process id, or the negative id of a process group
 */
export function guard(target: number, signal: 'INT' | 'TERM'): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -s "$0" -- "$1" 2>/dev/null', signal, String(target)], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard; the next start deals with what was left.
  shell.on('error', () => {});
  return shell;
}
