import type { FlowExporter } from '@/domain/collector/exporter';

/** In the place of a node. */
export const NO_NODE = 'none';

export type ExporterValues = {
  name: string;
  address: string;
  cluster_id: string | null;
  /** `NO_NODE`, or the id of a node. */
  node_id: string;
  enabled: boolean;
};

export const toExporterValues = ({ name, address, cluster_id, node_id, enabled }: FlowExporter): ExporterValues => ({
  ...{ name, address, cluster_id, node_id: node_id ?? NO_NODE, enabled },
});

const toFields = ({ name, address, node_id, enabled }: ExporterValues) => ({
  ...{ name, address, node_id: node_id === NO_NODE ? null : node_id, enabled },
});

/** What creates an exporter. A missing cluster is for the schema to refuse. */
export const toExporterInput = (values: ExporterValues): object => ({
  ...toFields(values),
  cluster_id: values.cluster_id ?? '',
});

/** What changes an exporter, with the version it was read at. */
export const toExporterUpdate = (values: ExporterValues, { version }: { version: number }): object => ({
  ...toFields(values),
  version,
});
