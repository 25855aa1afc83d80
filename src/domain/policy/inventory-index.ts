export type IndexedWorkload = {
  readonly id: string;
  readonly cluster_id: string;
  readonly vmid: number;
  readonly name: string;
  readonly tenant_id: string | null;
  /** The project of the tenant; unknown is none. */
  readonly project_id?: string | null;
  readonly template: boolean;
  readonly tags: readonly string[];
  /** Addresses known to be in use; text of any form that `parseCidr` reads. */
  readonly addresses: readonly string[];
};

/** What endpoints can refer to: workloads that exist, with addresses that count. Order does not matter. */
export type Inventory = {
  readonly clusters: readonly { readonly id: string; readonly name: string }[];
  readonly workloads: readonly IndexedWorkload[];
  readonly security_groups: readonly {
    readonly id: string;
    readonly name: string;
    readonly tenant_id: string | null;
    /** Set: only policies of this project name the group. */
    readonly project_id?: string | null;
    readonly workload_ids: readonly string[];
  }[];
  readonly networks: readonly {
    readonly id: string;
    readonly cluster_id: string;
    readonly name: string;
    readonly cidrs: readonly string[];
    /** Of them, those in which a tenant or project has addresses, by its id: the others do not exist for it. */
    readonly cidrs_of_owners?: Readonly<Record<string, readonly string[]>>;
  }[];
};

type Group = Inventory['security_groups'][number];
type Network = Inventory['networks'][number];

/** Look-up tables over an inventory, made once for any number of policies. */
export type InventoryIndex = {
  readonly workloads: ReadonlyMap<string, IndexedWorkload>;
  readonly by_vmid: ReadonlyMap<number, readonly IndexedWorkload[]>;
  readonly by_name: ReadonlyMap<string, readonly IndexedWorkload[]>;
  readonly by_tag: ReadonlyMap<string, readonly IndexedWorkload[]>;
  /** By id and by name. */
  readonly groups: ReadonlyMap<string, readonly Group[]>;
  readonly networks: ReadonlyMap<string, readonly Network[]>;
  /** Ids of clusters by id and by name. */
  readonly clusters: ReadonlyMap<string, readonly string[]>;
};

function multimap<T, K>(items: Iterable<T>, keysOf: (item: T) => Iterable<K>): Map<K, T[]> {
  const map = new Map<K, T[]>();
  for (const item of items) {
    for (const key of new Set(keysOf(item))) {
      const known = map.get(key);
      if (known) known.push(item);
      else map.set(key, [item]);
    }
  }
  return map;
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Groups by id and by name. */
export const indexGroups = (groups: Inventory['security_groups']): InventoryIndex['groups'] =>
  multimap([...groups].sort(byId), (group) => [group.id, group.name]);

/** Builds the tables. Whatever the order of the inventory, they are the same. */
export function indexInventory(inventory: Inventory): InventoryIndex {
  const workloads = [...inventory.workloads].sort(byId);
  const clusters = multimap(inventory.clusters, (cluster) => [cluster.id, cluster.name]);
  return {
    workloads: new Map(workloads.map((workload) => [workload.id, workload])),
    by_vmid: multimap(workloads, (workload) => [workload.vmid]),
    by_name: multimap(workloads, (workload) => [workload.name]),
    by_tag: multimap(workloads, (workload) => workload.tags),
    groups: indexGroups(inventory.security_groups),
    networks: multimap([...inventory.networks].sort(byId), (network) => [network.id, network.name]),
    clusters: new Map([...clusters].map(([key, list]) => [key, list.map(({ id }) => id)])),
  };
}
