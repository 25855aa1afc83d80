import { handleRequest } from '@/server/rest/handle-request';
import { routes } from '@/server/rest/routes';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => handleRequest(routes, request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
