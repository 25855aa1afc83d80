import { handleTrpc } from '@/server/api/handle-trpc';
import { type Operation, parseRestAddress } from '@/server/api/operation';
import { appRouter } from '@/server/api/root';
import { call } from '@/test/request';

export type Given = { params?: Record<string, string>; input?: object };

/** Sends one operation over either surface, through the handlers that serve the network. @returns what it answers, or why it refuses */
export async function sendOperation<T>(
  surface: 'REST' | 'tRPC',
  name: string,
  operation: Operation,
  { params = {}, input }: Given,
  headers: Record<string, string>,
): Promise<{ status: number; body: T }> {
  if (operation.rest === undefined) throw new Error(`expected ${name} to have an address`);
  const { method, path, names } = parseRestAddress(operation as { rest: string });
  if (surface === 'REST') {
    const address = path.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '');
    const response = await call(address, { method, headers, ...(input && { body: input }) });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text || '{}') };
  }
  const sent = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [operation.onPages?.[key] ?? (key === names[0] ? 'id' : key), value]),
  );
  const body = JSON.stringify({ ...sent, ...input });
  const json = { ...headers, 'content-type': 'application/json' };
  const url = `http://fabric.test/api/trpc/${name}`;
  const response = await handleTrpc(appRouter, new Request(url, { method: 'POST', headers: json, body }));
  const { result, error } = (await response.json()) as { result?: { data?: T }; error?: { data: { problem: T } } };
  return { status: response.status, body: error?.data.problem ?? result?.data ?? ({} as T) };
}
