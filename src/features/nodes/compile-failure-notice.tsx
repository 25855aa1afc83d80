import type { Node, NodeCompileFailure } from '@/domain/inventory';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Mono, RelativeTime } from '@/ui/values';
import { WorkloadLink } from '../shared/entity-links';

type Failure = NodeCompileFailure['failures'][number];

const EVIDENCE: Record<NodeCompileFailure['agent_evidence'], string> = {
  ruleset_unchanged: msg('The agent on the node confirms this: the packet filter has not changed since.'),
  ruleset_changed_since: msg(
    'The agent on the node has seen the packet filter change since then, possibly by another program.',
  ),
  service_stopped: msg('The agent on the node reports that the firewall service is stopped.'),
  none: msg('No agent on the node can confirm this.'),
};

function remedy(t: Translate, { reason, detail }: Failure): string {
  const [protocol = '', name = ''] = detail.split('/');
  switch (reason) {
    case 'service_without_protocol':
      return t('{protocol} has no service named {name}. Use the port number.', { protocol, name });
    case 'ports_not_supported':
      return t('iptables cannot match a single port of {protocol}. Use a list of two ports or remove the port.', {
        protocol,
      });
    case 'too_many_ports':
      return t('iptables takes at most 15 ports in a list, and this one has {count}. Use two rules.', { count: name });
    case 'address_refused':
      return t('iptables cannot read the address {address}. Write its numbers without leading zeros.', {
        address: detail,
      });
    case 'set_entry_covers_everything':
      return t('{entry} covers all addresses, which an IP set cannot hold. Split the entry into two prefixes.', {
        entry: detail,
      });
    case 'set_entry_repeated':
      return t('{entry} is the same network as another entry of the set. Remove one of them.', { entry: detail });
    case 'group_missing':
      return t('PVE security group {group} not found. Create the group or remove the rule.', { group: detail });
    case 'set_alias_missing':
      return t('Alias {alias} not found. Create the alias or remove the entry.', { alias: detail });
    case 'icmp_type_unknown':
      return t('proxmox-firewall does not support the ICMP type {type}. Remove the type.', { type: detail });
    case 'address_families_differ':
      return t('Source and destination have different IP versions ({addresses}). Use two rules.', {
        addresses: detail,
      });
    case 'address_unreadable':
      return t(
        'proxmox-firewall cannot read the address {address}. Use decimal numbers without leading zeros and a prefix length.',
        { address: detail },
      );
    case 'set_not_loaded':
      return t('proxmox-firewall does not load the IP set {set} of a workload. Use a set with another name.', {
        set: detail,
      });
    case 'nic_model_unknown':
      return t(
        'proxmox-firewall does not support the network device model {model}. Use virtio, e1000, rtl8139 or vmxnet3.',
        {
          model: detail,
        },
      );
    case 'nic_not_supported':
      return t('proxmox-firewall supports interfaces only up to net30. Use a lower number.');
  }
}

function place(t: Translate, { scope, group, set, nic, position }: Failure): string {
  const rule = () => t('Rule at position {position}', { position: position ?? 0 });
  const item = nic ?? (set === undefined ? rule() : t('IP set {set}', { set }));
  if (scope === 'group') return t('{item} of PVE security group {group}', { item, group: group ?? '' });
  if (scope === 'node') return t('{item} of the node', { item });
  return scope === 'data_center' ? t('{item} of the data center', { item }) : item;
}

/** Why the firewall of a node cannot be compiled: each place with its remedy, and what its agent says about it. */
export function CompileFailureNotice({ node }: { node: Pick<Node, 'name' | 'compile_failure'> }) {
  const t = useT();
  const failure = node.compile_failure;
  if (!failure) return null;
  return (
    <Notice tone="danger" title={t('Firewall of node {name} cannot compile', { name: node.name })}>
      <p>{t('The node keeps its old rules for every workload until this is fixed.')}</p>
      <ul className="my-1 list-disc pl-5">
        {failure.failures.map((item) => (
          <li key={JSON.stringify(item)}>
            {item.scope === 'guest' && (
              <>
                {item.workload_id ? (
                  <WorkloadLink id={item.workload_id} name={item.workload_name ?? ''} />
                ) : (
                  <Mono>{item.vmid}</Mono>
                )}
                {', '}
              </>
            )}
            {place(t, item)}: {remedy(t, item)}
          </li>
        ))}
      </ul>
      <p className="text-muted">
        {t('First seen')} <RelativeTime at={failure.since} />. {t(EVIDENCE[failure.agent_evidence])}
      </p>
    </Notice>
  );
}
