import {
  CollectorStatus,
  FlowExporter,
  FlowExporterInput,
  FlowExporterListInput,
  FlowExporterPage,
  FlowExporterUpdate,
} from '@/domain/collector/exporter';
import {
  createExporter,
  deleteExporter,
  listExporters,
  readCollector,
  readExporter,
  updateExporter,
} from '../../traffic/collector/exporters';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Flow exporters');
const reads = { permission: 'agent:read' } as const;
const writes = { permission: 'agent:install' } as const;

export const flowExportersRouter = router({
  list: query({
    rest: 'GET /flow-exporters',
    summary: 'List devices that may send flow records to the collector, with what they have sent.',
    access: reads,
    input: FlowExporterListInput,
    output: FlowExporterPage,
    run: ({ scope, input }) => listExporters(scope, input),
  }),
  create: mutation({
    rest: 'POST /flow-exporters',
    summary: 'Allow a device to send flow records. A node whose agent reports cannot have one.',
    access: writes,
    input: FlowExporterInput,
    output: FlowExporter,
    status: 201,
    problems: ['conflict'],
    run: ({ scope, input }) => createExporter(scope, input),
  }),
  get: query({
    rest: 'GET /flow-exporters/{flow_exporter_id}',
    summary: 'Get one flow exporter.',
    access: reads,
    output: FlowExporter,
    run: ({ scope, params }) => readExporter(scope, params.flow_exporter_id),
  }),
  update: mutation({
    rest: 'PATCH /flow-exporters/{flow_exporter_id}',
    summary: 'Update a flow exporter. If-Match or version prevents lost updates.',
    access: writes,
    input: FlowExporterUpdate,
    output: FlowExporter,
    problems: ['conflict'],
    run: ({ scope, params, input }) => updateExporter(scope, params.flow_exporter_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /flow-exporters/{flow_exporter_id}',
    summary: 'Delete a flow exporter. Its datagrams are refused from now on; stored flows stay.',
    access: writes,
    input: ByVersion,
    run: ({ scope, params, input }) => deleteExporter(scope, params.flow_exporter_id, input.version),
  }),
  collector: query({
    rest: 'GET /collector',
    summary: 'Get the state of the collector: its processes, and senders that are not listed.',
    access: reads,
    output: CollectorStatus,
    run: ({ scope }) => readCollector(scope),
  }),
});
