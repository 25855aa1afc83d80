import { heartbeatAnswerSchema, heartbeatEnvelopeSchema } from '@fabric/agent-contract';
import { recordHeartbeat } from '../../services/agents/record-heartbeat';
import { defineRoute, MAX_BODY_BYTES } from '../define-route';

const tag = 'Agents';

const heartbeat = defineRoute({
  method: 'POST',
  path: '/agents/heartbeat',
  summary: 'What an agent saw on its node. Flows are judged one by one; the answer says what became of them.',
  tag,
  access: { agent: 'A node token reports for its own node only.' },
  body: heartbeatEnvelopeSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  gzip: true,
  itemwise: 'flows',
  response: { status: 200, schema: heartbeatAnswerSchema },
  handler: ({ scope, body }) => recordHeartbeat(scope, body),
});

export const agentRoutes = [heartbeat];
