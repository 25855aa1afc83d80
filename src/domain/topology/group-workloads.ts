import type { TopologyGroup, TopologyGrouping, TopologyNetwork, TopologyWorkload } from './topology';

/** Where a workload belongs, by one grouping. */
export type GroupPlace = Pick<TopologyGroup, 'id' | 'kind' | 'name' | 'cluster_id'>;

const NONE: GroupPlace = { id: 'none', kind: 'none', name: null, cluster_id: null };

type Groupable = Pick<TopologyWorkload, 'project_id' | 'project_name' | 'tags' | 'network_ids'>;

/** Makes a function that names the one group of each workload. */
export function groupPlacer(
  grouping: TopologyGrouping,
  networks: ReadonlyMap<string, TopologyNetwork>,
): (workload: Groupable) => GroupPlace {
  return ({ project_id, project_name, tags, network_ids }) => {
    if (grouping === 'project') {
      if (project_id === null || project_name === null) return NONE;
      return { id: `project:${project_id}`, kind: 'project', name: project_name, cluster_id: null };
    }
    if (grouping === 'tag') {
      const [tag] = tags;
      return tag === undefined ? NONE : { id: `tag:${tag}`, kind: 'tag', name: tag, cluster_id: null };
    }
    const network = network_ids[0] === undefined ? undefined : networks.get(network_ids[0]);
    if (!network) return NONE;
    const { id, name, vlan_tag, cluster_id } = network;
    return {
      id: `network:${id}`,
      kind: 'network',
      name: vlan_tag === null ? name : `${name}, VLAN ${vlan_tag}`,
      cluster_id,
    };
  };
}

/** Whether a search text means a workload: part of a name, a tag or project, the start of an address, a VMID. */
export function isWorkloadMatch(
  {
    name,
    vmid,
    addresses,
    tags,
    project_name,
  }: Pick<TopologyWorkload, 'name' | 'vmid' | 'addresses' | 'tags' | 'project_name'>,
  text: string,
): boolean {
  const word = text.trim().toLowerCase();
  return (
    word === '' ||
    name.toLowerCase().includes(word) ||
    String(vmid) === word ||
    addresses.some((address) => address.startsWith(word)) ||
    tags.some((tag) => tag.toLowerCase().includes(word)) ||
    (project_name?.toLowerCase().includes(word) ?? false)
  );
}
