import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseDocument } from "yaml";
import config from "../deno.json" with { type: "json" };

const root = new URL("../", import.meta.url);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = new Map<string, { text: string; workflow: Workflow }>();
for await (const { name } of Deno.readDir(new URL(".github/workflows/", root))) {
  const text = await Deno.readTextFile(new URL(`.github/workflows/${name}`, root));
  const document = parseDocument(text);
  assertEquals(document.errors, [], name);
  workflows.set(name, { text, workflow: document.toJS() });
}

const stepsOf = ({ workflow }: { workflow: Workflow }): Step[] =>
  Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps);

for (const [name, file] of workflows) {
  Deno.test(`${name} pins actions by their commit, with the version beside it`, () => {
    for (const [line, action] of file.text.matchAll(/uses: (.+)$/gm)) {
      if (action!.startsWith("./")) continue;
      assertMatch(action!, /^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/, line);
    }
  });

  Deno.test(`${name} may write nothing but the identity that publishing needs`, () => {
    const { permissions, jobs } = file.workflow;
    const granted = [permissions, ...Object.values(jobs).map((job) => job.permissions ?? {})];
    for (const [scope, access] of granted.flatMap((one) => Object.entries(one))) {
      assert(access === "read" || (name === "publish.yml" && scope === "id-token"), scope);
    }
    for (const { uses, with: settings } of stepsOf(file)) {
      if (uses?.startsWith("actions/checkout@")) {
        assertEquals(settings?.["persist-credentials"], false);
      }
    }
  });

  Deno.test(`${name} runs tasks that there are`, () => {
    for (const { run = "" } of stepsOf(file)) {
      for (const [, task] of run.matchAll(/deno task ([\w:]+)/g)) {
        assert(Object.hasOwn(config.tasks, task!), `there is no task "${task}"`);
      }
    }
  });

  Deno.test(`${name} uses one version of Deno, that of the other checks`, async () => {
    const [, version] = /deno@([\d.]+)/.exec(await Deno.readTextFile(new URL(".ci/run", root)))!;
    for (const { uses, with: settings } of stepsOf(file)) {
      if (uses?.startsWith("denoland/setup-deno@")) {
        assertEquals(settings?.["deno-version"], version);
      }
    }
  });

  Deno.test(`${name} lets no job run for ever`, () => {
    for (const [id, job] of Object.entries(file.workflow.jobs)) {
      assert(job.uses !== undefined || job["timeout-minutes"]! > 0, id);
    }
  });
}

Deno.test("publish.yml publishes nothing before the gates have passed", () => {
  const { jobs } = workflows.get("publish.yml")!.workflow;
  assertEquals([jobs.gates?.needs, jobs.gates?.uses], ["version", "./.github/workflows/ci.yml"]);
  assertEquals([jobs.jsr?.needs, jobs.npm?.needs], ["gates", "gates"]);
});

for (
  const [tag, version, changelog, code] of [
    ["1.2.3", "1.2.3", "## [1.2.3] - 2026-11-21", 0],
    ["1.2.4", "1.2.3", "## [1.2.3] - 2026-11-21", 1],
    ["1.2.3", "1.2.3", "## [Unreleased]", 1],
    ["1.2.3", "11233", "## [11233]", 1],
  ] as const
) {
  Deno.test(`publish.yml ${code ? "refuses" : "takes"} the tag ${tag} with the version ${version} and ${changelog}`, async () => {
    const { run } = workflows.get("publish.yml")!.workflow.jobs.version!.steps![1]!;
    const cwd = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${cwd}/deno.json`, JSON.stringify({ version }));
      await Deno.writeTextFile(`${cwd}/CHANGELOG.md`, `# Changelog\n\n${changelog}\n`);
      // In place of jq, which may be missing here and is there on the runners.
      await Deno.writeTextFile(`${cwd}/jq`, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
      const outcome = await new Deno.Command("bash", {
        args: ["-e", "-c", run!],
        cwd,
        env: { TAG: tag, PATH: `${cwd}:${Deno.env.get("PATH")}` },
      }).output();
      assertEquals(outcome.code, code, new TextDecoder().decode(outcome.stdout));
    } finally {
      await Deno.remove(cwd, { recursive: true });
    }
  });
}

for (const [tag, channel] of [["1.2.3", "latest"], ["1.2.3-rc.1", "next"]] as const) {
  Deno.test(`publish.yml publishes ${tag} to npm as "${channel}"`, async () => {
    const { run } = workflows.get("publish.yml")!.workflow.jobs.npm!.steps!.at(-1)!;
    const cwd = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${cwd}/npm`, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
      const { code, stdout } = await new Deno.Command("bash", {
        args: ["-e", "-c", run!],
        cwd,
        env: { TAG: tag, PATH: `${cwd}:${Deno.env.get("PATH")}` },
      }).output();
      assertEquals(code, 0);
      assertEquals(
        new TextDecoder().decode(stdout),
        `publish --provenance --access public --tag ${channel}\n`,
      );
    } finally {
      await Deno.remove(cwd, { recursive: true });
    }
  });
}

Deno.test("dependabot.yml watches the actions, the packages and the provider", async () => {
  const text = await Deno.readTextFile(new URL(".github/dependabot.yml", root));
  const { updates } = parseDocument(text).toJS();
  assertEquals(
    updates.map((update: Record<string, string>) => update["package-ecosystem"]),
    ["github-actions", "deno", "terraform"],
  );
});
