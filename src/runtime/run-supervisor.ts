import { env } from '@/server/lib/env';
import { type Programs, type Supervisor, startSupervisor } from './supervisor';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs the service in the foreground until a signal ends it; a start that fails ends the process with one line. */
export async function runSupervisor(programs: Programs): Promise<void> {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const starting = new AbortController();
  let supervisor: Supervisor | undefined;
  let asked = false;
  const stop = async () => {
    await supervisor?.stop();
    print('fabric   | stopped');
    process.exit(0);
  };
  const onSignal = () => {
    if (asked) return;
    asked = true;
    print('fabric   | stopping');
    starting.abort(new Error('stopped'));
    // While it still starts there is nothing to stop yet; the start below notices.
    if (supervisor) void stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // The reader of the output may go away (a pipe to `head`, a closed terminal): the service continues without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    supervisor = await startSupervisor({ env: env(), programs, print, signal: starting.signal });
    if (asked) await stop();
  } catch (error) {
    if (asked) await stop();
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
