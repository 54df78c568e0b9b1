import type { ApplicationFunction } from "../application/types.ts";
import { REGION } from "../rules/arn.ts";

/**
 * The first parts of the hosts of services whose hosts do not begin with the name in their signatures, or share that name: by this
 * name, and then by the identifier in the variable from which the clients of the AWS SDKs read their endpoint.
 */
const LABELS_BY_SERVICE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  appconfig: { APPCONFIGDATA: "appconfigdata" },
  appstream: { APPSTREAM: "appstream2" },
  "aws-marketplace": {
    MARKETPLACE_AGREEMENT: "agreement-marketplace",
    MARKETPLACE_CATALOG: "catalog.marketplace",
    MARKETPLACE_DEPLOYMENT: "deployment-marketplace",
    MARKETPLACE_ENTITLEMENT_SERVICE: "entitlement.marketplace",
    MARKETPLACE_METERING: "metering.marketplace",
  },
  awsssoportal: { SSO: "portal.sso" },
  bedrock: {
    BEDROCK_AGENT: "bedrock-agent",
    BEDROCK_AGENT_RUNTIME: "bedrock-agent-runtime",
    BEDROCK_RUNTIME: "bedrock-runtime",
  },
  chime: {
    CHIME_SDK_IDENTITY: "identity-chime",
    CHIME_SDK_MEDIA_PIPELINES: "media-pipelines-chime",
    CHIME_SDK_MEETINGS: "meetings-chime",
    CHIME_SDK_MESSAGING: "messaging-chime",
    CHIME_SDK_VOICE: "voice-chime",
  },
  cloudhsm: { CLOUDHSM_V2: "cloudhsmv2" },
  connect: { CONNECT_CONTACT_LENS: "contact-lens" },
  forecast: { FORECASTQUERY: "forecastquery" },
  "iot-jobs-data": { IOT_JOBS_DATA_PLANE: "data.jobs.iot" },
  iot1click: {
    IOT_1CLICK_DEVICES_SERVICE: "devices.iot1click",
    IOT_1CLICK_PROJECTS: "projects.iot1click",
  },
  iotdata: { IOT_DATA_PLANE: "data-ats.iot" },
  ioteventsdata: { IOT_EVENTS_DATA: "data.iotevents" },
  iotfleethub: { IOTFLEETHUB: "api.fleethub.iot" },
  iotsecuredtunneling: { IOTSECURETUNNELING: "api.tunneling.iot" },
  ivs: { IVS_REALTIME: "ivsrealtime" },
  lex: {
    LEX_MODELS_V2: "models-v2-lex",
    LEX_MODEL_BUILDING_SERVICE: "models.lex",
    LEX_RUNTIME_SERVICE: "runtime.lex",
    LEX_RUNTIME_V2: "runtime-v2-lex",
  },
  mediastore: { MEDIASTORE_DATA: "data.mediastore" },
  memorydb: { MEMORYDB: "memory-db" },
  mgh: { MIGRATIONHUB_CONFIG: "migrationhub-config" },
  mobiletargeting: { PINPOINT: "pinpoint" },
  "payment-cryptography": {
    PAYMENT_CRYPTOGRAPHY: "controlplane.payment-cryptography",
    PAYMENT_CRYPTOGRAPHY_DATA: "dataplane.payment-cryptography",
  },
  personalize: {
    PERSONALIZE_EVENTS: "personalize-events",
    PERSONALIZE_RUNTIME: "personalize-runtime",
  },
  qapps: { QAPPS: "data.qapps" },
  qldb: { QLDB_SESSION: "session.qldb" },
  sagemaker: {
    SAGEMAKER_A2I_RUNTIME: "a2i-runtime.sagemaker",
    SAGEMAKER_EDGE: "edge.sagemaker",
    SAGEMAKER_FEATURESTORE_RUNTIME: "featurestore-runtime.sagemaker",
    SAGEMAKER_METRICS: "metrics.sagemaker",
    SAGEMAKER_RUNTIME: "runtime.sagemaker",
  },
  secretsmanager: { SECRETS_MANAGER: "secretsmanager" },
  servicecatalog: { SERVICE_CATALOG_APPREGISTRY: "servicecatalog-appregistry" },
  ses: { MAILMANAGER: "mail-manager", PINPOINT_EMAIL: "email", SES: "email", SESV2: "email" },
  "sms-voice": { PINPOINT_SMS_VOICE: "sms-voice.pinpoint" },
  "sso-oauth": { SSO_OIDC: "oidc" },
  timestream: { TIMESTREAM_QUERY: "query.timestream", TIMESTREAM_WRITE: "ingest.timestream" },
};

/** The hosts of services without a host that begins with the name in their signatures, or of the more common of several. */
export const LABELS: Readonly<Record<string, string>> = {
  "awsssoportal": "portal.sso",
  "bedrock": "bedrock-runtime",
  "detective": "api.detective",
  "ecr": "api.ecr",
  "ecr-public": "api.ecr-public",
  "iotdata": "data-ats.iot",
  "iotwireless": "api.iotwireless",
  "mediatailor": "api.mediatailor",
  "mobiletargeting": "pinpoint",
  "pricing": "api.pricing",
  "sagemaker": "runtime.sagemaker",
  "ses": "email",
  "sso-oauth": "oidc",
  "timestream": "query.timestream",
};

/** The identifiers in variables of services that have another name in their signatures. Each is what one client of the SDKs reads. */
const IDS: Readonly<Record<string, string>> = {
  "ce": "COST_EXPLORER",
  "cognito-idp": "COGNITO_IDENTITY_PROVIDER",
  "config": "CONFIG_SERVICE",
  "dms": "DATABASE_MIGRATION_SERVICE",
  "ds": "DIRECTORY_SERVICE",
  "elasticfilesystem": "EFS",
  "elasticloadbalancing": "ELASTIC_LOAD_BALANCING_V2",
  "elasticmapreduce": "EMR",
  "es": "OPENSEARCH",
  "execute-api": "APIGATEWAYMANAGEMENTAPI",
  "geo": "LOCATION",
  "logs": "CLOUDWATCH_LOGS",
  "mobiletargeting": "PINPOINT",
  "monitoring": "CLOUDWATCH",
  "states": "SFN",
  "tagging": "RESOURCE_GROUPS_TAGGING_API",
};

/**
 * Lists the identifiers in the variables from which clients of a service read their endpoint.
 *
 * @param label The first part of the host.
 */
export function endpointIdsOf(service: string, label: string): readonly string[] {
  const shared = Object.hasOwn(LABELS_BY_SERVICE, service) ? LABELS_BY_SERVICE[service]! : {};
  const ids = Object.keys(shared).filter((id) => shared[id] === label);
  if (ids.length > 0) return ids;
  return [Object.hasOwn(IDS, service) ? IDS[service]! : service.toUpperCase().replaceAll("-", "_")];
}

/** Lists the first parts of the hosts of a service, by the name in its signatures. */
export function labelsOf(service: string): readonly string[] {
  if (!/^[a-z0-9-]{1,63}$/.test(service)) return [];
  const own = <T>(record: Readonly<Record<string, T>>) =>
    Object.hasOwn(record, service) ? record[service] : undefined;
  const labels = [own(LABELS) ?? service, service, ...Object.values(own(LABELS_BY_SERVICE) ?? {})];
  return [...new Set(labels)];
}

/**
 * What an SDK puts before the host for some operations, by their headers `X-Amz-Target`. It would put that before the host of this
 * machine, too, so the client is told not to.
 */
export const HOST_PREFIXES: Readonly<Record<string, string>> = {
  "AWSStepFunctions.StartSyncExecution": "sync-",
  "AWSStepFunctions.TestState": "sync-",
  "Route53AutoNaming_v20170314.DiscoverInstances": "data-",
  "Route53AutoNaming_v20170314.DiscoverInstancesRevision": "data-",
};

/** The start of a path that names the host. */
export const PREFIX = "/.aws/";

/** A host of AWS that a function may call. */
export interface Host {
  readonly host: string;
  /** The part of the host before the region. */
  readonly label: string;
  /** The region; `undefined` if the host has none. */
  readonly region: string | undefined;
}

/**
 * Lists the hosts of AWS that a function may call. `*` stands for every host in the region.
 *
 * @param region The region in place of `${AWS_REGION}`.
 */
export function hostsOf({ code }: ApplicationFunction, region: string) {
  const net = code.net.map((host) => host.replaceAll("${AWS_REGION}", region));
  const hosts = net.flatMap((text): Host[] => {
    const [, host = "", label, place] =
      /^(([a-z0-9.-]+?)(?:\.([a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com)(?::443)?$/.exec(text) ??
        [];
    return label === undefined ? [] : [{ host, label, region: place }];
  });
  return { hosts, isOpen: net.includes("*") || net.some((one) => /^\*\.amazonaws\.com/.test(one)) };
}

/**
 * Makes the variables with the endpoints of services whose requests do not say which host they are for. All others use the
 * variable `AWS_ENDPOINT_URL`.
 */
export function endpointsOf(settings: ApplicationFunction, url: string): Record<string, string> {
  const { hosts, isOpen } = hostsOf(settings, REGION);
  const isAll = isOpen || settings.runtime !== "deno";
  return Object.fromEntries(
    Object.values(LABELS_BY_SERVICE).flatMap((labels) => Object.entries(labels))
      .filter(([, label]) => isAll || hosts.some((host) => host.label === label))
      .map(([id, label]) => [`AWS_ENDPOINT_URL_${id}`, `${url}${PREFIX}${label}`]),
  );
}
