import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOWNLOAD_PATH, renderInstaller } from '@fabric/agent-contract/installer';
import { AGENT_PATHS } from '@fabric/agent-contract/limits';
import type { AgentInstall, AgentInstallInfo, AgentInstallInput } from '@/domain/agent';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import { findNodeName, insertEnrollment } from '../queries/agent-enrollments';
import { type AgentBundle, INSTALLER, readAgentBundle, requireAgentBundle } from './agent-bundle';

/** Long enough to open a shell on the node, short enough for a token that is pasted. */
const LIFE_MS = 60 * 60_000;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A new enrollment token: shown once, kept as `hashToken(token)`. */
export const newEnrollmentToken = (): string => `fabric_enrol_${randomBytes(32).toString('base64url')}`;

/** The command for a root shell on a node. */
export function installCommand(baseUrl: string, variables: Record<string, string>): string {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  return `curl -fsSL ${quoted(`${baseUrl}/api/v1/agents/install.sh`)} | ${given.join(' ')} sh`;
}

/**
 * The command that installs the agent on a node, ready to be pasted into a root shell there. Its token works once, within
 * an hour; only its hash is kept.
 * @param baseUrl address of the service as the caller reached it, without trailing slash
 * @throws AppError `not_found`; `unavailable` when the agent was not built
 */
export async function createInstall(
  scope: Scope<'agent:install'>,
  { node_id }: AgentInstallInput,
  baseUrl: string,
): Promise<AgentInstall> {
  await requireAgentBundle();
  const enrolment_token = newEnrollmentToken();
  const now = clock.now();
  const expires_at = new Date(now.getTime() + LIFE_MS).toISOString();
  const node = await db.transaction(async (tx) => {
    const found = await findNodeName(tx, node_id);
    if (!found) throw notFound('node');
    const id = newId();
    await insertEnrollment(tx, {
      id,
      node_id,
      token_hash: hashToken(enrolment_token),
      created_by: scope.actor.id,
      created_by_name: scope.actor.name,
      created_at: now.toISOString(),
      expires_at,
    });
    await recordAudit(tx, scope, {
      action: 'agent.install_requested',
      object_kind: 'node',
      object_id: node_id,
      object_name: found.name,
      after: { enrolment_id: id, expires_at },
    });
    return found;
  });
  return {
    node_id,
    node_name: node.name,
    base_url: baseUrl,
    command: installCommand(baseUrl, { FABRIC_ENROLMENT_TOKEN: enrolment_token, FABRIC_NODE_NAME: node.name }),
    enrolment_token,
    expires_at,
  };
}

const REQUIREMENTS = [
  'Proxmox VE 8 or newer, or another Debian with systemd',
  'x86_64 or aarch64',
  'nothing else if there is a package (.deb) for the machine; otherwise Node.js 18 or later, which the installer gets from Debian if it is missing',
  'root for the installation; the agent runs as its own user',
  'a connection from the node to this address',
];

const listServedFiles = (bundle: AgentBundle | null) => [
  ...(bundle?.files ?? []).filter((file) => file.name !== INSTALLER),
  ...(bundle?.packages.files ?? []),
];

/** How the agent is installed, and what the installer brings. */
export async function readInstallInfo(baseUrl: string): Promise<AgentInstallInfo> {
  const bundle = await readAgentBundle();
  return {
    base_url: baseUrl,
    script_url: `${baseUrl}/api/v1/agents/install.sh`,
    heartbeat_url: `${baseUrl}${AGENT_PATHS.heartbeat}`,
    agent_version: bundle?.version ?? null,
    files: listServedFiles(bundle).map((file) => ({ ...file, url: `${baseUrl}${DOWNLOAD_PATH}/${file.name}` })),
    requirements: REQUIREMENTS,
  };
}

/**
 * The installer for anyone: the address of the service and the checksums of the files it will fetch. It contains no secret.
 * @param baseUrl without trailing slash
 * @throws AppError `unavailable` when the agent was not built
 */
export async function renderInstallScript(baseUrl: string): Promise<string> {
  const bundle = await requireAgentBundle();
  const template = await readFile(join(bundle.directory, INSTALLER), 'utf8');
  return renderInstaller(template, baseUrl, listServedFiles(bundle));
}
