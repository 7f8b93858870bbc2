class Crdlint < Formula
  desc "Checks Kubernetes CRDs offline, exactly as the API server does"
  homepage "https://github.com/crdlint/crdlint"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on "python@3.13"

  on_macos do
    depends_on arch: :arm64
    url "https://github.com/crdlint/crdlint/releases/download/v@VERSION@/crdlint-darwin-arm64.tar.gz"
    sha256 "@DARWIN_ARM64@"
  end

  on_linux do
    depends_on arch: :x86_64
    url "https://github.com/crdlint/crdlint/releases/download/v@VERSION@/crdlint-linux-amd64.tar.gz"
    sha256 "@LINUX_AMD64@"
  end

  def install
    libexec.install "crdlint"
    (bin/"crdlint").write <<~SH
      #!/bin/sh
      exec "#{Formula["python@3.13"].opt_bin}/python3.13" "#{libexec}/crdlint" "$@"
    SH
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/crdlint --version")
  end
end
