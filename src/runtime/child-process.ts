import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * Ends a process when this one is killed without cleanup (kill -9): the shell's standard input is a pipe that only
 * this process holds open, so the shell continues when this process is gone.
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

/** Ends this process with one line on standard error: what it needs to start is missing. */
export function refuseStart(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

/** What a program reports over its IPC channel when it serves: where, and lines for who started it. */
export type ReadyReport = { url?: string; notes?: readonly string[] };

/** A program to keep running. It reports `{ready: true, …}` over its IPC channel when it serves. */
export type ChildProgram = {
  name: string;
  command: string;
  arguments: readonly string[];
  environment: NodeJS.ProcessEnv;
  workingDirectory: string;
  /** It cannot report (a development server): starting it counts as ready. */
  readyAtStart?: boolean;
};

export type Child = {
  /** Resolves when it was ready for the first time. */
  ready: Promise<ReadyReport>;
  pid(): number | undefined;
  /** SIGTERM, and SIGKILL for it and what it started when it is still there after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

type Options = { onLine: (line: string) => void; onEvent: (text: string) => void; backoffMs?: number };

/**
 * Of the C library (mallopt(3)): each thread would get memory of its own from it, and keep what it took while it started.
 * Threads rarely allocate there at the same time.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1' };

const LONGEST_BACKOFF_MS = 30_000;
/** Who ran this long is healthy; the next crash starts with a short pause again. */
const HEALTHY_MS = 60_000;

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // The group is gone.
  }
}

/** Starts a program and starts it again, with growing pauses, whenever it ends by itself. */
export function keepRunning(program: ChildProgram, options: Options): Child {
  const { onLine, onEvent, backoffMs = 500 } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let announce: (report: ReadyReport) => void = () => {};
  const ready = new Promise<ReadyReport>((resolve) => {
    announce = resolve;
  });

  const runOnce = async (): Promise<string> => {
    const running = spawn(program.command, program.arguments, {
      cwd: program.workingDirectory,
      env: { ...ALLOCATOR, ...program.environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C in a terminal reaches the supervisor only, which ends things in order.
      detached: true,
    });
    child = running;
    if (program.readyAtStart) announce({});
    for (const stream of [running.stdout, running.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', onLine);
    }
    running.on('message', (message: ReadyReport & { ready?: boolean }) => {
      if (message?.ready)
        announce({ ...(message.url && { url: message.url }), ...(message.notes && { notes: message.notes }) });
    });
    const guardian = running.pid === undefined ? undefined : guard(-running.pid, 'TERM');
    const end = await new Promise<string>((resolve) => {
      running.on('error', (error) => resolve(error.message));
      running.on('exit', (code, signal) => resolve(String(signal ?? code)));
    });
    guardian?.kill('SIGKILL');
    // What it started must not outlive it.
    killGroup(running);
    return end;
  };

  const loop = (async () => {
    for (let pause = backoffMs; !stopping.signal.aborted; ) {
      const started = Date.now();
      const end = await runOnce();
      if (stopping.signal.aborted) break;
      if (Date.now() - started > HEALTHY_MS) pause = backoffMs;
      onEvent(`${program.name} ended (${end}); restarting in ${pause / 1000} s`);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_BACKOFF_MS);
    }
  })();

  return {
    ready,
    pid: () => child?.pid,
    async stop(timeoutMs) {
      stopping.abort();
      child?.kill('SIGTERM');
      const timer = setTimeout(() => {
        onEvent(`${program.name} did not stop within ${timeoutMs / 1000} s; killing it`);
        if (child) killGroup(child);
      }, timeoutMs);
      await loop;
      clearTimeout(timer);
    },
  };
}

/**
 * Tells the supervisor, when there is one, that this process serves.
 * @param notes lines for the person who started it, printed below the address
 */
export function reportReady({ url, notes }: { url?: string; notes?: readonly string[] } = {}): void {
  process.send?.({ ready: true, ...(url && { url }), ...(notes && { notes }) });
}

/**
 * For a process whose jobs take much memory for a short time: what is no longer used is freed when the heap has grown by half, and not
 * only when it is several times as large. It costs some processor time, and a small machine has room for other programs.
 */
export const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=50');
