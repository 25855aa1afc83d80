import { describe, expect, it } from 'vitest';
import { toAsyncGenerator } from './to-async-generator';

describe('toAsyncGenerator', () => {
  it('hands over each value in order, the next one when the last was taken', async () => {
    const order: string[] = [];
    const stream = toAsyncGenerator<number>(async (give) => {
      for (const value of [1, 2, 3]) {
        order.push(`give ${value}`);
        await give(value);
      }
    });
    for await (const value of stream) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      order.push(`read ${value}`);
    }
    expect(order).toEqual(['give 1', 'read 1', 'give 2', 'read 2', 'give 3', 'read 3']);
  });

  it('lets the producer work ahead, by no more than it may', async () => {
    const ahead: number[] = [];
    let given = 0;
    const stream = toAsyncGenerator<number>(async (give) => {
      for (const value of [1, 2, 3, 4, 5, 6]) {
        await give(value);
        given = value;
      }
    }, 2);
    const read: number[] = [];
    for await (const value of stream) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      read.push(value);
      ahead.push(given - value);
    }
    expect(read).toEqual([1, 2, 3, 4, 5, 6]);
    expect(Math.max(...ahead)).toBe(1);
    expect(ahead.slice(0, 4)).toEqual([1, 1, 1, 1]);
  });

  it('fails as its producer fails, after what was given', async () => {
    const read: number[] = [];
    const stream = toAsyncGenerator<number>(async (give) => {
      await give(1);
      throw new Error('the query failed');
    });
    const all = (async () => {
      for await (const value of stream) read.push(value);
    })();
    await expect(all).rejects.toThrow('the query failed');
    expect(read).toEqual([1]);
  });

  it('ends a producer that works ahead and waits', async () => {
    let failed: unknown;
    const stream = toAsyncGenerator<number>(async (give) => {
      try {
        for (let value = 1; ; value++) await give(value);
      } catch (error) {
        failed = error;
        throw error;
      }
    }, 3);
    for await (const value of stream) if (value === 2) break;
    expect(failed).toBeInstanceOf(Error);
  });

  it('ends a producer whose reader leaves early, and waits for it', async () => {
    let given = 0;
    let cleaned = false;
    const stream = toAsyncGenerator<number>(async (give) => {
      try {
        for (;;) {
          given += 1;
          await give(given);
        }
      } finally {
        await new Promise((resolve) => setTimeout(resolve, 5));
        cleaned = true;
      }
    });
    for await (const value of stream) if (value === 2) break;
    expect(given).toBe(2);
    expect(cleaned).toBe(true);
  });

  it('tells the failure of its reader, not that the producer was ended', async () => {
    const stream = toAsyncGenerator<number>((give) => give(1));
    const all = (async () => {
      for await (const _ of stream) throw new Error('the client has gone');
    })();
    await expect(all).rejects.toThrow('the client has gone');
  });

  it('yields nothing when nothing is given', async () => {
    const read: number[] = [];
    for await (const value of toAsyncGenerator<number>(async () => {})) read.push(value);
    expect(read).toEqual([]);
  });
});
