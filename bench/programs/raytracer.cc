// raytracer: spheres under one light, rows of the picture shared out to threads. Every thread works
// on a scene of its own, as in the Java Grande program of that name.
//
// usage: raytracer [SIZE [THREADS]]
// test: 6 2
// speed: 240 4
//
// Self-check: the sums of the threads add up to that of the finished picture.
//
// BUG(checksum) every run: threads add to the common checksum under the lock of their own scene.
//   Each has another lock, so that nothing keeps two of them apart. (The Java program has this very
//   bug.) Happens-before sees it in every run: a thread adds once, just before it ends. A run in
//   which a part gets lost says so on standard error.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(double k, Vector a) {
  return {k * a.x, k * a.y, k * a.z};
}
double dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector unit(Vector a) {
  return 1 / std::sqrt(dot(a, a)) * a;
}

struct Ray {
  Vector from, direction;
};

struct Sphere {
  Vector center;
  double radius, brightness, mirror;
};

struct Hit {
  double distance;
  const Sphere* sphere;
};

struct Scene {
  std::mutex lock;
  std::vector<Sphere> spheres;
  Vector light{-6, 8, -10};

  explicit Scene(int side) {
    for (int i = 0; i < side * side * side; i++) {
      const double x = i % side, y = i / side % side, z = i / (side * side);
      spheres.push_back({{2 * x - side + 1, 2 * y - side + 1, 2 * z + 4}, 0.8, 0.3 + 0.1 * x, 0.3});
    }
  }
};

std::optional<Hit> nearest(const Scene& scene, const Ray& ray) {
  std::optional<Hit> best;
  for (const Sphere& sphere : scene.spheres) {
    const Vector to_center = sphere.center - ray.from;
    const double along = dot(to_center, ray.direction);
    const double inside = along * along - dot(to_center, to_center) + sphere.radius * sphere.radius;
    if (inside < 0) continue;
    const double distance = along - std::sqrt(inside);
    if (distance > 1e-6 && (!best || distance < best->distance)) best = Hit{distance, &sphere};
  }
  return best;
}

double trace(const Scene& scene, const Ray& ray, int depth) {
  const auto hit = nearest(scene, ray);
  if (!hit) return 0.1;
  const Vector at = ray.from + hit->distance * ray.direction;
  const Vector normal = unit(at - hit->sphere->center);
  const Vector to_light = unit(scene.light - at);
  double brightness = 0.05;
  if (!nearest(scene, {at, to_light})) {
    brightness += hit->sphere->brightness * std::fmax(0, dot(normal, to_light));
  }
  if (depth > 0) {
    const Vector reflected = ray.direction - 2 * dot(ray.direction, normal) * normal;
    brightness += hit->sphere->mirror * trace(scene, {at, reflected}, depth - 1);
  }
  return brightness;
}

int size;
int threads;
std::vector<int> picture;
std::vector<long> sums;  // of each thread
long checksum;           // of all

void render(int me) {
  Scene scene(2);
  long sum = 0;
  for (int row = me; row < size; row += threads) {
    for (int column = 0; column < size; column++) {
      const Vector direction{(column + 0.5) / size - 0.5, 0.5 - (row + 0.5) / size, 1};
      const double brightness = trace(scene, {{0, 0, -3}, unit(direction)}, 2);
      const int pixel = static_cast<int>(255 * std::fmin(1, brightness));
      picture[static_cast<size_t>(row * size + column)] = pixel;
      sum += pixel;
    }
  }
  sums[static_cast<size_t>(me)] = sum;
  std::lock_guard guard(scene.lock);
  checksum += sum;  // BUG(checksum)
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  size = argument(argc, argv, 1, 40);
  threads = argument(argc, argv, 2, 4);

  picture.resize(static_cast<size_t>(size * size));
  sums.resize(static_cast<size_t>(threads));
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back(render, i);
  for (std::thread& one : all) one.join();

  long expected = 0;
  for (int pixel : picture) expected += pixel;
  std::printf("raytracer: %d x %d, checksum %ld\n", size, size, expected);
  if (checksum != expected) std::fprintf(stderr, "raytracer: the common checksum lacks a part\n");
  long own = 0;
  for (long sum : sums) own += sum;
  return own == expected ? 0 : 1;
}
