import { handleTrpc } from '@/server/api/handle-trpc';
import { appRouter } from '@/server/api/root';

export const dynamic = 'force-dynamic';

const handle = (request: Request) => handleTrpc(appRouter, request);

export { handle as GET, handle as POST };
