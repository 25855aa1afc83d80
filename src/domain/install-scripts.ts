import type { AgentEnrollmentCreated } from './agent';

const shellWord = (text: string) => (/^[A-Za-z0-9][\w.-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Runs the install command on each node by SSH. Without names, those of an example. */
export function sshLoop({ command }: Pick<AgentEnrollmentCreated, 'command'>, nodes: readonly string[]): string {
  const names = nodes.length > 0 ? nodes.map(shellWord) : ['node1', 'node2', 'node3'];
  return `for node in ${names.join(' ')}; do
  ssh "root@$node" sh -s <<'FABRIC'
${command}
FABRIC
done`;
}

/** A playbook that installs the agent where there is none. It contains no secret: the token comes from the environment. */
export const ansiblePlaybook = ({ base_url }: Pick<AgentEnrollmentCreated, 'base_url'>): string => `- hosts: proxmox
  become: true
  tasks:
    - name: Install the Fabric agent
      ansible.builtin.shell: set -o pipefail; curl -fsSL '${base_url}/api/v1/agents/install.sh' | sh
      args:
        executable: /bin/bash
        creates: /var/lib/fabric-agent/node-token
      environment:
        FABRIC_ENROLMENT_TOKEN: "{{ lookup('ansible.builtin.env', 'FABRIC_ENROLMENT_TOKEN') }}"
`;

/** Runs the playbook, saved as `fabric-agent.yml`. */
export const ansibleCommand = ({ enrolment_token }: Pick<AgentEnrollmentCreated, 'enrolment_token'>): string =>
  `FABRIC_ENROLMENT_TOKEN='${enrolment_token}' ansible-playbook -i inventory fabric-agent.yml`;
