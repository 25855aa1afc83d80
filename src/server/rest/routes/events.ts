import { z } from 'zod';
import { readSession } from '../../access/sign-in/read-session';
import { getRequestOrigin } from '../../auth/origin';
import { openEventStream } from '../../events/open-event-stream';
import { defineRoute } from '../define-route';

export const eventRoutes = [
  defineRoute({
    method: 'GET',
    path: '/events',
    summary:
      'Stream changes as server-sent events of types such as inventory.changed. After resync, read everything again.',
    tag: 'Events',
    access: { signedIn: 'Each event is sent only to users whose permissions let them read the changed object.' },
    query: z.strictObject({}),
    response: { status: 200, media: 'text/event-stream' },
    handler: async ({ session, request }) => {
      const stream = await openEventStream(session, {
        signal: request.signal,
        currentSession: () => readSession(request, getRequestOrigin(request)),
      });
      return new Response(stream, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        },
      });
    },
  }),
];
