import { chownSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { EnrolmentRequest } from '@fabric/agent-contract';
import { AGENT_PATHS, AGENT_VERSION, PROTOCOL_VERSION } from '@fabric/agent-contract/limits';
import { type Config, getEnrollmentTokenFromEnv, paths } from '../config';
import { machineId } from '../identity';
import { post, type Server } from '../transport/post';

/**
 * Exchanges a one-time enrollment token for this node's token and stores it, readable by its owner only.
 * @returns id the service knows the node by. @throws Error with the server's reason
 */
export async function enrollAgent(config: Config, server: Server, token: string): Promise<string> {
  const request: EnrolmentRequest = {
    protocol_version: PROTOCOL_VERSION,
    enrolment_token: token,
    machine_id: machineId(),
    node_name: config.node_name,
    agent_version: AGENT_VERSION,
  };
  const options = { token: null, isGzip: false, agentVersion: AGENT_VERSION };
  const answer = await post(server, AGENT_PATHS.enrol, Buffer.from(JSON.stringify(request)), options);
  const fields = (typeof answer.body === 'object' && answer.body !== null ? answer.body : {}) as Record<
    string,
    unknown
  >;
  if (answer.status < 200 || answer.status >= 300) {
    const detail = typeof fields.detail === 'string' ? fields.detail.slice(0, 300) : `status ${answer.status}`;
    throw new Error(`the service rejected the enrollment: ${detail}`);
  }
  const { node_token: nodeToken, node_id: nodeId } = fields;
  if (typeof nodeToken !== 'string' || !/^[\x21-\x7e]{16,512}$/.test(nodeToken) || typeof nodeId !== 'string') {
    throw new Error('the service did not return a node token: is server_url the address of Fabric?');
  }
  storeToken(config, nodeToken);
  return nodeId;
}

/** The token from the environment, or the first line of standard input. @throws Error when there is none */
export async function readEnrollmentToken(input: NodeJS.ReadStream = process.stdin): Promise<string> {
  const fromEnv = getEnrollmentTokenFromEnv();
  if (fromEnv !== null) return fromEnv;
  if (input.isTTY) process.stderr.write('Enrollment token: ');
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes('\n') || text.length > 2048) break;
  }
  const token = text.split('\n')[0]?.trim() ?? '';
  if (token === '') throw new Error('no enrollment token: pass it on standard input or in FABRIC_ENROLMENT_TOKEN');
  return token;
}

function storeToken(config: Config, token: string): void {
  const file = paths.nodeToken(config);
  mkdirSync(config.state_directory, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.tmp`, `${token}\n`, { mode: 0o600 });
  if (process.getuid?.() === 0) {
    // Run as root for a service that is not: the token belongs to whom the directory belongs.
    const { uid, gid } = statSync(config.state_directory);
    chownSync(`${file}.tmp`, uid, gid);
  }
  renameSync(`${file}.tmp`, file);
}
