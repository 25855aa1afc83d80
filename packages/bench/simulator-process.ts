import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Access = { url: string; fingerprint: string; token: string };
export type SimulatorProcess = Access & {
  /** How often each call has been made so far. */
  counts(): Promise<Record<string, number>>;
  stop(): void;
};

/** Starts a simulated cluster in a process of its own, so that its work is not measured. @param latency of a call, in milliseconds */
export async function startSimulatorProcess(nodes: number, guests: number, latency: number): Promise<SimulatorProcess> {
  const script = fileURLToPath(new URL('./simulator.ts', import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ['--import', 'tsx', script, String(nodes), String(guests), String(latency)],
    { stdio: ['pipe', 'pipe', 'inherit'] as never },
  );
  const lines = createInterface({ input: child.stdout });
  const nextLine = () => new Promise<string>((resolve) => lines.once('line', resolve));
  const access: Access = JSON.parse(await nextLine());
  return {
    ...access,
    async counts() {
      const line = nextLine();
      child.stdin.write('\n');
      return JSON.parse(await line);
    },
    stop: () => void child.kill('SIGTERM'),
  };
}
