import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { mate } from "../../cli/testdata/command.ts";
import { findEngine } from "../../cli/programs/find_engine.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

/** The programs that the tool and its scripts start by their names. */
const NAMES = [
  ...["unshare", "setpriv", "terraform", "tofu", "dynoxide", "sh", "ps", "du", "rm", "mount"],
  ...["chroot", "umount", "pivot_root", "cp", "ln", "mkdir", "deno", "node"],
];

Deno.test("no program of a package or of the application runs in the place of one of the system", async () => {
  const [caught, home] = [temporaryFolder(), temporaryFolder()];
  // It leaves its name and the key, if it has it, and does what the developer expects.
  const program = (name: string) =>
    `#!/bin/sh\nprintf '%s' "$AWS_SECRET_ACCESS_KEY" >"${caught}/${name}"\nPATH=/usr/bin:/bin:/usr/sbin:/sbin exec ${name} "$@"\n`;
  const folders = ["node_modules/.bin", "bin", "tools/node_modules/x"];
  const programs = folders.flatMap((folder) =>
    NAMES.map((name) => [`${folder}/${name}`, program(name)])
  );
  await using app = await makeApp(
    { ...Object.fromEntries(programs), "one.js": "export const handler = () => 1;" },
    { one: { module: "one.js", uses: { tables: { items: "read" } } } },
    { tables: { items: { key: { id: "string" } } } },
  );
  for (const [path] of programs) await Deno.chmod(`${app.folder}/${path}`, 0o755);
  // A folder of PATH may also be a link into a package.
  await Deno.symlink(`${app.folder}/tools/node_modules/x`, `${home}/link`);
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "SECRET",
    AWS_ENDPOINT_URL: "http://127.0.0.1:1",
  };
  for (
    const folder of [`${app.folder}/node_modules/.bin`, "bin", `${app.folder}/bin`, `${home}/link`]
  ) {
    const options = {
      cwd: app.folder,
      env: { ...env, PATH: `${folder}:${Deno.env.get("PATH")}` },
    };
    const { stdout, stderr } = await mate(["invoke", "one"], options);
    assertEquals(stdout, "1\n", stderr);
    const deploy = await mate(["deploy", "--plan"], options);
    assertMatch(deploy.stderr, /^Error: /m);
    assertEquals([...Deno.readDirSync(caught)].map(({ name }) => name).sort(), [], folder);
  }
});

Deno.test("no engine of tables runs that another program has put into the cache", async () => {
  const cache = `${temporaryFolder()}/mate`;
  const source = { system: "linux-x86_64", cache, registry: "http://127.0.0.1:1" };
  const program = `${cache}-dynoxide-linux-x64-1.2.1/dynoxide`;
  await Deno.mkdir(program.slice(0, program.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(program, "#!/bin/sh\n", { mode: 0o755 });
  await assertRejects(() => findEngine(source), Error, "Cannot download");
});
