import { enrolmentAnswerSchema } from '@fabric/agent-contract';
import { AGENT_PATHS, AGENT_VERSION, PROTOCOL_VERSION } from '@fabric/agent-contract/limits';
import { systemScope } from '@/server/auth/scope';
import { createInstall } from '@/server/traffic/agents/install';
import { machineIdOf } from '../traffic/node-character';
import type { Post } from './post';

const scope = systemScope('agent:install', 'demo data');

/** Installs the agent of a node: the one-time token of an install command for the node's own. @returns that token */
export async function enrolNode(node: { id: string; name: string }, baseUrl: string, post: Post): Promise<string> {
  const { enrolment_token } = await createInstall(scope, { node_id: node.id }, baseUrl);
  const answer = await post(AGENT_PATHS.enrol, {
    protocol_version: PROTOCOL_VERSION,
    enrolment_token,
    machine_id: machineIdOf(node.name),
    node_name: node.name,
    agent_version: AGENT_VERSION,
  });
  if (answer.status !== 200)
    throw new Error(`enrolment of ${node.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return enrolmentAnswerSchema.parse(answer.body).node_token;
}
