import { applicationOf, hasNamespace, isolation } from "../../testdata/sandbox.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { within } from "../../../testdata/waiting.ts";
import { Stopwatch } from "../stopwatch.ts";
import { Sandbox } from "./sandbox.ts";

Deno.test({
  name: "a sandbox ends if it is killed at once, or while its process starts",
  ignore: !hasNamespace,
  async fn() {
    const folder = temporaryFolder();
    await Deno.chmod(folder, 0o755);
    const folders = { task: `${folder}/task`, layer: `${folder}/layer` };
    for (const path of Object.values(folders)) await Deno.mkdir(path);
    const bootstrap = `${folders.layer}/bootstrap`;
    await Deno.writeTextFile(bootstrap, "#!/bin/sh\nexec sleep infinity\n", { mode: 0o755 });
    const code = { settings: applicationOf().functions.one!, logFormat: "Text", folders } as const;
    const options = { time: new Stopwatch(), log() {} };
    for (const pause of [0, 0, 0, 1, 2, 4, 8, 16]) {
      const sandbox = await Sandbox.start(code, isolation!, options);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      await within(`the end after ${pause} ms`, sandbox.kill());
    }
  },
});
