import { DOWNLOAD_PATH } from '@fabric/agent-contract/installer';
import { AGENT_PATHS } from '@fabric/agent-contract/limits';
import type { AgentInstallInfo } from '@/domain/agent';
import { INSTALLER, readAgentBundle } from './agent-bundle';

const REQUIREMENTS = [
  'Proxmox VE 8 or newer, or another Debian with systemd',
  'x86_64 or aarch64',
  'Node.js 18 or newer; the installer gets it from Debian when it is missing',
  'root for the installation; the agent runs as its own user',
  'a connection from the node to this address',
];

/** How the agent is installed, and what the installer brings. */
export async function readInstallInfo(baseUrl: string): Promise<AgentInstallInfo> {
  const bundle = await readAgentBundle();
  return {
    base_url: baseUrl,
    script_url: `${baseUrl}/api/v1/agents/install.sh`,
    heartbeat_url: `${baseUrl}${AGENT_PATHS.heartbeat}`,
    agent_version: bundle?.version ?? null,
    files: (bundle?.files ?? [])
      .filter((file) => file.name !== INSTALLER)
      .map((file) => ({ ...file, url: `${baseUrl}${DOWNLOAD_PATH}/${file.name}` })),
    requirements: REQUIREMENTS,
  };
}
