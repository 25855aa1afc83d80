import type { Caller } from '../access/sign-in';
import type { ClusterState } from './cluster-state';

export type Task = {
  upid: string;
  node: string;
  pid: number;
  pstart: number;
  starttime: number;
  type: string;
  id: string;
  user: string;
  tokenid: string | undefined;
  status: 'running' | 'stopped';
  exitstatus: string | undefined;
};

const hex8 = (value: number) => (value >>> 0).toString(16).toUpperCase().padStart(8, '0');

/** Worker tasks of a cluster, newest last, the last 1000. */
export class TaskList {
  readonly #tasks = new Map<string, Task>();
  readonly #cluster: ClusterState;

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
  }

  find(upid: string): Task | undefined {
    return this.#tasks.get(upid);
  }

  /** Starts a task; `work` decides how it ends. */
  start(node: string, type: string, id: string, caller: Caller, work: () => Promise<void>): Task {
    const pid = this.#cluster.random.int(1000, 4_000_000);
    const pstart = this.#cluster.random.int(1, 2 ** 30);
    const starttime = this.#cluster.nowSeconds;
    const user = caller.subject;
    const upid = `UPID:${node}:${hex8(pid)}:${hex8(pstart)}:${hex8(starttime)}:${type}:${id}:${user}:`;
    const task: Task = {
      upid,
      node,
      pid,
      pstart,
      starttime,
      type,
      id,
      user: caller.userId,
      tokenid: caller.tokenName,
      status: 'running',
      exitstatus: undefined,
    };
    this.#tasks.set(upid, task);
    for (const oldest of this.#tasks.keys()) {
      if (this.#tasks.size <= 1000) break;
      this.#tasks.delete(oldest);
    }
    const finish = (exitstatus: string) => {
      task.status = 'stopped';
      task.exitstatus = exitstatus;
    };
    work().then(
      () => finish('OK'),
      (error: unknown) => finish(error instanceof Error ? error.message : 'unexpected status'),
    );
    return task;
  }
}
