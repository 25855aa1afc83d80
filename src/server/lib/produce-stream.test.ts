import { describe, expect, it, vi } from 'vitest';
import { produceStream, ReaderGoneError } from './produce-stream';

const BLOCK = 'x'.repeat(64 * 1024);
const failed = vi.fn();
const options = { stallMs: 10_000, failed };

describe('a body that is written while it is sent', () => {
  it('holds what was written, in order', async () => {
    const body = produceStream(async (write) => {
      for (let i = 0; i < 100; i++) await write(`${i},`);
    }, options);
    expect(await new Response(body).text()).toBe(Array.from({ length: 100 }, (_, i) => `${i},`).join(''));
  });

  it('stops writing when its reader does not read', async () => {
    let written = 0;
    const body = produceStream(async (write) => {
      for (let i = 0; i < 1_000; i++) {
        await write(BLOCK);
        written += 1;
      }
    }, options);
    const reader = body.getReader();
    for (let i = 0; i < 20; i++) await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(written).toBeGreaterThanOrEqual(20);
    expect(written).toBeLessThan(30);
    await reader.cancel();
  });

  it('tells the producer that the reader has gone', async () => {
    const ended = vi.fn();
    const body = produceStream(async (write) => {
      try {
        for (;;) await write(BLOCK);
      } catch (error) {
        ended(error);
        throw error;
      }
    }, options);
    const reader = body.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => ended).toHaveBeenCalled();
    expect(ended.mock.calls[0]?.[0]).toBeInstanceOf(ReaderGoneError);
    expect(failed).not.toHaveBeenCalled();
  });

  it('aborts when its reader takes nothing, and when the producer fails', async () => {
    const stalled = produceStream(
      async (write) => {
        for (;;) await write(BLOCK);
      },
      { stallMs: 5, failed },
    );
    const reader = stalled.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await expect(
      (async () => {
        for (let i = 0; i < 20; i++) await reader.read();
      })(),
    ).rejects.toBeInstanceOf(ReaderGoneError);
    expect(failed).not.toHaveBeenCalled();
    const broken = produceStream(async (write) => {
      await write('begun');
      throw new Error('lost');
    }, options);
    await expect(new Response(broken).text()).rejects.toThrow('lost');
    expect(failed).toHaveBeenCalledOnce();
  });
});
