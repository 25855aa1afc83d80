import { answerApi } from '@/server/api/answer-api';

export const dynamic = 'force-dynamic';

// Used by `next dev` only: in production the entry answers the API before Next sees it.
export {
  answerApi as DELETE,
  answerApi as GET,
  answerApi as HEAD,
  answerApi as OPTIONS,
  answerApi as PATCH,
  answerApi as POST,
  answerApi as PUT,
};
