import type { CollectorState } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import type { Clock } from '../sys/clock';
import { errnoCode } from '../sys/errno';
import { FileTail, type TailState } from './file-tail';
import { parseHypervisorLine } from './hypervisor-line';
import { KernelLog, type KernelLogPosition } from './kernel-log';
import { LineBudget } from './line-budget';
import { LogFlows } from './log-flows';
import { parsePacketLine } from './log-line';

/** Where reading stopped; saved between runs. */
export type LogPositions = {
  kernel: KernelLogPosition | null;
  file: TailState | null;
  access?: TailState | null;
};

export type LogSources = {
  /** The hypervisor's firewall log. */
  file: string;
  /** Identifies the kernel's present boot; null when the kernel log shall not be read. */
  kernelBootId: string | null;
  flowLimit: number;
};

const WINDOW_MILLISECONDS = AGENT_LIMITS.kernel_log_window_seconds * 1000;

/**
 * Firewall log lines of kernel and hypervisor: read every second, since the kernel forgets fast; parsed once per
 * heartbeat, the newest up to a limit.
 */
export class LogCollector {
  readonly flows = new LogFlows();
  private tail: FileTail | null = null;
  private kernel: KernelLog | null = null;
  private readonly kernelLines: LineBudget<{ message: string; time: number }>;
  private readonly fileLines: LineBudget<string>;
  private readonly counts = { kernel: 0, kernelDropped: 0, file: 0, fileDropped: 0 };
  private kernelError: string | null = null;
  private fileError: string | null = null;
  /** Lines older than this were there before the agent; only the last minutes of them are of interest. */
  private notBefore: { kernel: number; file: number };

  constructor(
    private readonly sources: LogSources,
    private readonly saved: LogPositions,
    private readonly clock: Clock = Date.now,
  ) {
    const budget = Math.max(2 * sources.flowLimit, AGENT_LIMITS.log_lines_minimum);
    this.kernelLines = new LineBudget(budget);
    this.fileLines = new LineBudget(budget);
    const recent = clock() - WINDOW_MILLISECONDS;
    const isSameBoot = saved.kernel?.kernel_boot_id === sources.kernelBootId;
    this.notBefore = { kernel: isSameBoot ? 0 : recent, file: saved.file ? 0 : recent };
    this.openKernelLog();
  }

  /** Positions of what `collect()` has taken in; valid right after it. */
  get positions(): LogPositions {
    return { kernel: this.kernel?.position ?? this.saved.kernel, file: this.tail?.state ?? this.saved.file };
  }

  /** Fetches new lines. Call every second. */
  poll(): void {
    // A clock that is put back must not make new lines older than the agent.
    const recent = this.clock() - WINDOW_MILLISECONDS;
    const { kernel, file } = this.notBefore;
    this.notBefore = { kernel: Math.min(kernel, recent), file: Math.min(file, recent) };
    try {
      this.kernel?.read((message, time) => this.kernelLines.push({ message, time }));
    } catch (error) {
      this.kernelError = getErrorMessage(error);
    }
    try {
      this.tail ??= new FileTail(this.sources.file, this.saved.file);
      this.tail.read((line) => this.fileLines.push(line));
      this.fileError = null;
    } catch (error) {
      this.fileError = getErrorMessage(error);
    }
  }

  /** Parses what was fetched and adds it to `flows`. */
  collect(): void {
    this.openKernelLog();
    this.poll();
    const kernel = this.kernelLines.take();
    this.counts.kernelDropped += kernel.dropped;
    for (const { message, time } of kernel.lines) {
      const line = time < this.notBefore.kernel ? null : parsePacketLine(message);
      if (!line) continue;
      this.counts.kernel += 1;
      this.flows.add(line, time, 'kernel_log');
    }
    const file = this.fileLines.take();
    this.counts.fileDropped += file.dropped;
    for (const text of file.lines) {
      const parsed = parseHypervisorLine(text);
      if (!parsed || parsed.time < this.notBefore.file) continue;
      this.counts.file += 1;
      this.flows.add(parsed.packet, parsed.time, 'firewall_log');
    }
  }

  /** Begins a new reporting interval. */
  startInterval(): void {
    this.flows.startInterval(this.clock());
  }

  states(): CollectorState[] {
    const { counts, tail, flows } = this;
    const fileDetail = this.fileError ?? (tail?.isPresent ? null : `${this.sources.file} does not exist`);
    const lost = this.kernel?.lost ?? 0;
    return [
      {
        name: 'kernel_log',
        state: this.kernel === null ? 'unavailable' : this.kernelError !== null || lost > 0 ? 'degraded' : 'active',
        ...(this.kernelError !== null && { detail: this.kernelError.slice(0, 500) }),
        counts: { packets: counts.kernel, lost_records: lost, over_limit_lines: counts.kernelDropped },
      },
      {
        name: 'firewall_log',
        state: fileDetail !== null ? 'unavailable' : (tail?.lostFiles ?? 0) > 0 ? 'degraded' : 'active',
        ...(fileDetail !== null && { detail: fileDetail.slice(0, 500) }),
        counts: {
          packets: counts.file,
          over_limit_lines: counts.fileDropped,
          skipped_bytes: tail?.skippedBytes ?? 0,
          lost_files: tail?.lostFiles ?? 0,
          over_limit_flows: flows.overflow,
        },
      },
    ];
  }

  close(): void {
    this.kernel?.close();
    this.tail?.close();
  }

  private openKernelLog(): void {
    if (this.kernel !== null || this.sources.kernelBootId === null) return;
    try {
      this.kernel = new KernelLog(this.saved.kernel, this.sources.kernelBootId);
      this.kernelError = null;
    } catch (error) {
      this.kernelError =
        errnoCode(error) === 'EPERM' ? 'reading /dev/kmsg requires the capability CAP_SYSLOG' : getErrorMessage(error);
    }
  }
}

function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
