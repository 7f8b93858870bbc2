// Writes crdlint.vsix, the same bytes for the same files: sorted names, one date, no owner.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const FILES = ["LICENSE.txt", "README.md", "dist/extension.js", "icon.png", "package.json", "pictures/completion.png", "pictures/finding.png"];
// What the extension's own server is installed from, made by wheels.mjs. They are for one platform.
const WHEELS = existsSync("dist/wheels") ? readdirSync("dist/wheels").sort() : [];
const PLATFORM = WHEELS.length ? ` TargetPlatform="${process.platform}-${process.arch}"` : "";
const DATE = new Date("1980-01-01T12:00:00");
const text = (value) => String(value).replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

const published = { ...manifest };
delete published.devDependencies;
delete published.scripts;

const description = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"${PLATFORM}/>
    <DisplayName>${text(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${text(manifest.description)}</Description>
    <Tags>${text(manifest.keywords.join(","))}</Tags>
    <Categories>${text(manifest.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${text(manifest.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
      <Property Id="Microsoft.VisualStudio.Services.Links.Source" Value="${manifest.repository.url}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/icon.png</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
const types = ["js", "json", "md", "png", "txt", "vsixmanifest", "whl"]
  .map((ending) => `<Default Extension=".${ending}" ContentType="application/octet-stream"/>`)
  .join("");

const entries = {
  "[Content_Types].xml": strToU8(
    `<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types}</Types>\n`,
  ),
  "extension.vsixmanifest": strToU8(description),
};
for (const file of FILES) {
  const content =
    file === "package.json"
      ? strToU8(`${JSON.stringify(published, null, 2)}\n`)
      : readFileSync(file === "LICENSE.txt" ? "../../LICENSE" : file);
  entries[`extension/${file}`] = content;
}
for (const name of WHEELS) {
  entries[`extension/wheels/${name}`] = [readFileSync(`dist/wheels/${name}`), { level: 0 }]; // compressed already
}
mkdirSync("dist", { recursive: true });
writeFileSync("dist/crdlint.vsix", zipSync(entries, { level: 9, mtime: DATE, os: 3, attrs: 0o644 << 16 }));
console.log("dist/crdlint.vsix");
