import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { HEAVY_ELSEWHERE } from '@/domain/heavy-operations';
import { bearer, makeTwoTenants } from '@/test/factories';
import { call } from '@/test/request';
import { handleTrpc } from '../api/handle-trpc';
import { appRouter } from '../api/root';
import { metricsText } from '../lib/metrics';
import { admit, admitResponse } from './admission';

type Side = Awaited<ReturnType<typeof makeTwoTenants>>['ours'];
let ours: Side;
let theirs: Side;
beforeAll(async () => {
  ({ ours, theirs } = await makeTwoTenants('viewer'));
});

const toScope = ({ user, tenant }: Side) => ({
  actor: { kind: 'user' as const, id: user.id, name: user.email },
  reach: [tenant.id],
});
const trpc = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  handleTrpc(appRouter, new Request(`http://fabric.test/api/trpc/${path}`, { headers, ...init }));

/** Takes the place of an account that evaluates rules, and `waiting` in its queue, until what it returns is called. */
function occupy(side: Side, waiting: number) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const taken = Array.from({ length: 1 + waiting }, () => admit('evaluate', toScope(side), null, () => ended));
  return async () => {
    end();
    await Promise.all(taken);
  };
}

describe('admission of heavy requests', () => {
  it('counts people of one project apart from those of another', async () => {
    const of = (project: string, id: string) => ({
      actor: { kind: 'user' as const, id, name: id },
      tenants: [],
      reach: { tenants: [], projects: [project] },
    });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // All places that one tenant may have.
    const taken = ['a', 'b'].map((id) => admit('compute', of('first', id), null, () => ended));
    const waits = new Promise<string>((resolve) => setTimeout(() => resolve('waits'), 1_000));
    expect(await Promise.race([waits, admit('compute', of('second', 'c'), null, async () => 'runs')])).toBe('runs');
    end();
    await Promise.all(taken);
  });

  it('runs two requests of an account, one of which may evaluate rules, whatever it sends in which order', async () => {
    const running = { compute: 0, evaluate: 0 };
    const most = { compute: 0, evaluate: 0, all: 0 };
    let done = 0;
    const send = (lane: 'compute' | 'evaluate') =>
      admit(lane, toScope(ours), null, async () => {
        running[lane] += 1;
        most[lane] = Math.max(most[lane], running[lane]);
        most.all = Math.max(most.all, running.compute + running.evaluate);
        await delay(5);
        running[lane] -= 1;
        done += 1;
      });
    const lanes = Array.from({ length: 24 }, (_, at) =>
      (at * 7) % 5 < 2 ? ('compute' as const) : ('evaluate' as const),
    );
    await Promise.all(lanes.map(send));
    expect(most).toEqual({ compute: 2, evaluate: 1, all: 2 });
    expect(done).toBe(lanes.length);
  });

  it('gives the place for evaluation back when its client goes away while it waits for the other one', async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const taken = [1, 2].map(() => admit('compute', toScope(ours), null, () => ended));
    const gone = new AbortController();
    const waiting = admit('evaluate', toScope(ours), gone.signal, async () => 'runs');
    await expect.poll(metricsText).toMatch(/fabric_heavy_requests\{lane="evaluate",state="running"\} 1/);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    end();
    await Promise.all(taken);
    expect(await admit('evaluate', toScope(ours), null, async () => 'runs')).toBe('runs');
  });

  it('refuses an account whose queue is full on both surfaces, but no other account', async () => {
    const release = occupy(ours, 24);
    try {
      const rest = await call('/topology', { headers: ours.headers });
      expect(rest.status).toBe(429);
      expect(rest.headers.get('retry-after')).toBe('5');
      expect(await rest.json()).toMatchObject({ code: 'too_many_requests', retry_after: 5, reason: 'busy' });
      const single = await trpc('topology.read?input={}', ours.headers);
      expect([single.status, single.headers.get('retry-after')]).toEqual([429, '5']);
      const batch = await trpc('account.me,topology.read?batch=1&input={"1":{}}', ours.headers);
      expect([batch.status, batch.headers.get('retry-after')]).toEqual([207, '5']);
      const [me, map] = await batch.json();
      expect(me.result.data.email).toBe(ours.user.email);
      expect(map.error.data.problem).toMatchObject({ code: 'too_many_requests', retry_after: 5 });
      // Its light calls, those that mostly ask the database, and the heavy ones of others, go on.
      expect((await call('/workloads', { headers: ours.headers })).status).toBe(200);
      expect((await call('/dashboard', { headers: ours.headers })).status).toBe(200);
      expect((await trpc('dashboard.security?input={}', ours.headers)).status).toBe(200);
      expect((await call('/topology', { headers: theirs.headers })).status).toBe(200);
      expect((await trpc('topology.read?input={}', theirs.headers)).status).toBe(200);
      expect(await metricsText()).toMatch(/fabric_heavy_refused_total\{lane="evaluate",reason="queue_full"\} 3/);
    } finally {
      await release();
    }
    expect((await call('/topology', { headers: ours.headers })).status).toBe(200);
    expect(await metricsText()).toMatch(/fabric_heavy_requests\{lane="evaluate",state="running"\} 0/);
  });

  it('counts the sign-ins and tokens of an account together', async () => {
    const release = occupy(ours, 24);
    try {
      expect((await call('/topology', { headers: await bearer(ours.user) })).status).toBe(429);
    } finally {
      await release();
    }
  });

  it('lets a waiting request leave the queue when its client goes away', async () => {
    const release = occupy(ours, 0);
    try {
      const gone = new AbortController();
      const waiting = call('/topology', { headers: ours.headers, signal: gone.signal });
      // No answer that several people may wait for.
      const batch = trpc('reach.matrix?input={}', ours.headers, { signal: gone.signal });
      await expect.poll(metricsText).toMatch(/fabric_heavy_requests\{lane="evaluate",state="waiting"\} 2/);
      gone.abort();
      await Promise.allSettled([waiting, batch]);
      expect(await metricsText()).toMatch(/fabric_heavy_requests\{lane="evaluate",state="waiting"\} 0/);
      expect(await metricsText()).not.toMatch(/reason="waited_too_long"\} [1-9]/);
    } finally {
      await release();
    }
  });

  it('does nothing heavy where a thread does it, whatever address got past the entry', async () => {
    Reflect.set(globalThis, HEAVY_ELSEWHERE, true);
    try {
      for (const path of ['/topology', '/workloads?format=csv']) {
        const refused = await call(path, { headers: ours.headers });
        expect([path, refused.status]).toEqual([path, 400]);
        expect((await refused.json()).detail).toContain('unnecessary percent-encoding');
      }
      expect((await trpc('topology.read?input={}', ours.headers)).status).toBe(400);
      expect((await call('/workloads', { headers: ours.headers })).status).toBe(200);
    } finally {
      Reflect.deleteProperty(globalThis, HEAVY_ELSEWHERE);
    }
  });

  it('gives the place of an export back when its reader takes nothing for a minute', async () => {
    const running = async () =>
      Number(/fabric_heavy_requests\{lane="export",state="running"\} (\d+)/.exec(await metricsText())?.[1]);
    vi.useFakeTimers();
    try {
      let cancelled = false;
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(10)),
        cancel: () => {
          cancelled = true;
        },
      });
      const held = (await admitResponse('export', toScope(ours), null, async () => new Response(endless))) as Response;
      const reader = held.body?.getReader();
      // A slow reader keeps its slot, however long the read takes.
      for (let read = 0; read < 5; read += 1) {
        await vi.advanceTimersByTimeAsync(59_000);
        expect((await reader?.read())?.done).toBe(false);
      }
      expect(await running()).toBe(1);
      await vi.advanceTimersByTimeAsync(60_000);
      expect([await running(), cancelled]).toEqual([0, true]);
      await expect(reader?.read()).rejects.toThrow('the client stopped reading');
      const read = (await admitResponse('export', toScope(ours), null, async () => new Response('all'))) as Response;
      expect([await read.text(), await running()]).toEqual(['all', 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('holds the slot of an export until it is read or canceled', async () => {
    const running = async () =>
      Number(/fabric_heavy_requests\{lane="export",state="running"\} (\d+)/.exec(await metricsText())?.[1]);
    const read = await call('/workloads?format=csv', { headers: ours.headers });
    expect([read.status, await running()]).toEqual([200, 1]);
    expect((await read.text()).length).toBeGreaterThan(10);
    expect(await running()).toBe(0);
    const dropped = await call('/workloads?format=csv', { headers: ours.headers });
    expect(await running()).toBe(1);
    await dropped.body?.cancel();
    expect(await running()).toBe(0);
    const failing = new ReadableStream({
      pull() {
        throw new Error('broken');
      },
    });
    const broken = await admitResponse('export', toScope(ours), null, async () => new Response(failing));
    await expect((broken as Response).text()).rejects.toThrow('broken');
    expect(await running()).toBe(0);
    expect((await call('/workloads?format=csv&limit=x', { headers: ours.headers })).status).toBe(400);
    expect(await running()).toBe(0);
  });
});
