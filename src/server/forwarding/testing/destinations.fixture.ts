import { afterEach, beforeAll } from 'vitest';
import type { ForwardingDestination, ForwardingProgress } from '@/domain/forwarding/destination';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { machine } from '@/server/lib/spare-time';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { forwardRecords } from '../run-forwarding';

/** Calls about destinations as a super administrator makes them. After each test of the file, destinations and flows are gone. */
export function setUpDestinations() {
  const sql = sqlClient();
  let root: { id: string };
  beforeAll(async () => {
    root = await makeUser('super_admin');
    setProcessors('idle');
  });
  afterEach(async () => {
    await sql`delete from forwarding_destinations`;
    await sql`delete from rate_limits`;
    await sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks`;
  });

  const request = async (method: string, path: string, body?: unknown) =>
    call(path, { method, headers: await bearer(root), body });
  const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  };
  const read = (id: string) => api<ForwardingDestination>('GET', `/forwarding-destinations/${id}`);
  /** What the machine has to spare, whatever else runs on it now. */
  const setProcessors = (state: 'idle' | 'busy') => {
    let total = 0;
    machine.readTimes = () => ({ total: ++total, idle: state === 'idle' ? total : 0 });
  };
  return {
    setProcessors,
    request,
    api,
    read,
    create: (values: object) =>
      api<ForwardingDestination>('POST', '/forwarding-destinations', { name: `d ${newId()}`, ...values }),
    getProgress: async (id: string, stream: string): Promise<ForwardingProgress> => {
      const progress = (await read(id)).progress.find((one) => one.stream === stream);
      if (!progress) throw new Error(`expected the progress of ${stream}`);
      return progress;
    },
    /** One run, as of a worker. */
    forward: ({ id }: { id: string }) => forwardRecords(id, { signal: new AbortController().signal }),
  };
}
