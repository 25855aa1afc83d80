import { handleTrpc } from '@/server/api/handle-trpc';
import { type Operation, parseRestAddress } from '@/server/api/operation';
import { appRouter } from '@/server/api/root';
import { call } from '@/test/request';

export type Given = { params?: Record<string, string>; input?: object };
/** What a refusal says. */
export type Problem = { reason?: string; change?: unknown; detail?: string };

/** Sends one operation over either surface, through the handlers that serve the network. */
export async function sendOperation(
  surface: 'REST' | 'tRPC',
  name: string,
  operation: Operation,
  { params = {}, input }: Given,
  headers: Record<string, string>,
): Promise<{ status: number; problem: Problem }> {
  if (operation.rest === undefined) throw new Error(`expected ${name} to have an address`);
  const { method, path, names } = parseRestAddress(operation as { rest: string });
  if (surface === 'REST') {
    const address = path.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '');
    const response = await call(address, { method, headers, ...(input && { body: input }) });
    const text = await response.text();
    return { status: response.status, problem: text ? JSON.parse(text) : {} };
  }
  const sent = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [operation.onPages?.[key] ?? (key === names[0] ? 'id' : key), value]),
  );
  const body = JSON.stringify({ ...sent, ...input });
  const json = { ...headers, 'content-type': 'application/json' };
  const url = `http://fabric.test/api/trpc/${name}`;
  const response = await handleTrpc(appRouter, new Request(url, { method: 'POST', headers: json, body }));
  const { error } = (await response.json()) as { error?: { data?: { problem?: Problem } & Problem } };
  return { status: response.status, problem: error?.data?.problem ?? error?.data ?? {} };
}
