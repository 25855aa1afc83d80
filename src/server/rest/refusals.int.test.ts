import { beforeEach, expect, it, vi } from 'vitest';
import { handleTrpc } from '@/server/api/handle-trpc';
import { appRouter } from '@/server/api/root';
import * as refusals from '@/server/lib/note-refusal';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';

const noteRefusal = vi.spyOn(refusals, 'noteRefusal');
beforeEach(() => {
  noteRefusal.mockClear();
});
const noted = () => noteRefusal.mock.calls.map(([refusal]) => refusal);
const SECRET = 'fabric_api_SECRET';

it('notes who was refused what, by pattern and without what was sent', async () => {
  const viewer = await makeUser('viewer');
  const headers = await bearer(viewer);
  const id = '01890000-0000-7000-8000-000000000000';
  const answer = await call(`/users/${id}?password=hunter2`, { method: 'DELETE', headers, from: '192.0.2.7' });
  expect(answer.status).toBe(403);
  await call('/settings', { headers: { authorization: `Bearer ${SECRET}` }, from: '192.0.2.7' });
  const request = new Request('http://fabric.test/api/trpc/users.list', { headers });
  expect((await handleTrpc(appRouter, request)).status).toBe(403);
  expect(noted()).toMatchObject([
    {
      request_id: answer.headers.get('x-request-id'),
      source_address: '192.0.2.7',
      actor_id: viewer.id,
      surface: 'rest',
      method: 'DELETE',
      path: '/users/{user_id}',
      status: 403,
      code: 'forbidden',
    },
    { actor_id: null, method: 'GET', path: '/settings', status: 401, code: 'unauthenticated' },
    { actor_id: viewer.id, surface: 'trpc', method: 'query', path: 'users.list', status: 403, code: 'forbidden' },
  ]);
  expect(JSON.stringify(noted())).not.toMatch(/hunter2|SECRET|Bearer|01890000-0000/);
});
