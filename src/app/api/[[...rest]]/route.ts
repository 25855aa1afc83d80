import { handleRequest } from '@/server/rest/handle-request';

export const dynamic = 'force-dynamic';

// Unknown paths below /api are answered like an unknown address of the API, never with a page.
const handle = (request: Request) => handleRequest([], request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
