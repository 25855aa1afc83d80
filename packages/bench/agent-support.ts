import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const BENCH = dirname(fileURLToPath(import.meta.url));
const AGENT = join(BENCH, '..', '..', 'agent');

/** A measured value beside the bar it has to reach. */
export type Bar = { name: string; value: number; unit: string; atMost?: number; atLeast?: number };

/** Directory for the programs under measurement, built as the agent is shipped: one file, no loader. */
export class Workshop {
  readonly directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));

  /** Bundles a file of bench/ and returns the path to run with node. */
  async program(name: string): Promise<string> {
    const outfile = join(this.directory, `${name}.cjs`);
    await build({
      entryPoints: [join(BENCH, `${name}.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node18',
      format: 'cjs',
      logLevel: 'warning',
      plugins: [
        {
          name: 'native-library-beside-bundle',
          setup({ onResolve }) {
            onResolve({ filter: /\/load-koffi$/ }, () => ({ path: join(AGENT, 'src/sys/load-koffi-bundled.ts') }));
          },
        },
      ],
    });
    const library = join(this.directory, `koffi-linux-${process.arch}.node`);
    // Never over a library that a running program has mapped: that program would crash.
    if (!existsSync(library)) {
      const original = `@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`;
      copyFileSync(createRequire(import.meta.url).resolve(original), library);
    }
    return outfile;
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Time all threads of a process have spent on a processor so far, in nanoseconds. */
export function cpuNanoseconds(pid: number): number {
  let sum = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    sum += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]);
  }
  return sum;
}

/** Resident memory of a process in MiB. */
export function residentMebibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
}

/** Value of an interface counter of a namespace. */
export function interfaceCounter(namespace: string, name: string, counter: string): number {
  const args = ['netns', 'exec', namespace, 'cat', `/sys/class/net/${name}/statistics/${counter}`];
  return Number(execFileSync('ip', args, { encoding: 'utf8' }));
}

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Prints the bars and sets the exit code when one is missed. */
export function report(title: string, bars: readonly Bar[]): void {
  console.log(`\n${title}`);
  for (const { name, value, unit, atMost, atLeast } of bars) {
    const isMet = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
    const limit = atMost !== undefined ? `<= ${atMost}` : atLeast !== undefined ? `>= ${atLeast}` : 'no bar';
    const number = Number.isInteger(value) ? String(value) : value.toFixed(3);
    console.log(
      `${isMet ? 'ok    ' : 'MISSED'}  ${name.padEnd(58)} ${number.padStart(12)} ${unit.padEnd(10)} ${limit}`,
    );
    if (!isMet) process.exitCode = 1;
  }
}
