import type { HypervisorEdit } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import type { Clock } from '../sys/clock';
import { parseAccessLine } from './access-line';
import { FileTail, type TailState } from './file-tail';
import { LineBudget } from './line-budget';

const RECENT_MILLISECONDS = AGENT_LIMITS.kernel_log_window_seconds * 1000;

/**
 * Who edits firewalls on this node, from the hypervisor's access log. Where the log cannot be read, which is usual, or is not to be read,
 * there are no edits, and nothing else suffers.
 */
export class AccessLog {
  private tail: FileTail | null = null;
  private readonly edits = new LineBudget<HypervisorEdit>(AGENT_LIMITS.edits_per_heartbeat);
  /** What is older was there before the agent. */
  private notBefore: number;

  /** @param file null: it is not to be read */
  constructor(
    private readonly file: string | null,
    private readonly saved: TailState | null,
    private readonly clock: Clock = Date.now,
  ) {
    this.notBefore = saved ? 0 : clock() - RECENT_MILLISECONDS;
  }

  /** Where reading stopped; valid right after `take()`. */
  get position(): TailState | null {
    return this.tail?.state ?? this.saved;
  }

  /** Fetches new lines; call it often enough that a rotated file is not missed. */
  poll(): void {
    if (this.file === null) return;
    // A clock that is put back must not make new lines older than the agent.
    this.notBefore = Math.min(this.notBefore, this.clock() - RECENT_MILLISECONDS);
    try {
      this.tail ??= new FileTail(this.file, this.saved);
      this.tail.read((line) => {
        const edit = parseAccessLine(line);
        if (edit && Date.parse(edit.at) >= this.notBefore) this.edits.push(edit);
      });
    } catch {
      // Not permitted: `fabric-agent doctor` says so.
    }
  }

  /** Edits since the last call, oldest first; null: the log is not read. */
  take(): HypervisorEdit[] | null {
    this.poll();
    return this.tail ? this.edits.take().lines : null;
  }

  close(): void {
    this.tail?.close();
  }
}
